// Package paths owns where files live: everything the product keeps is under
// one home directory. It refuses to create, read or delete anything.
package paths

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
)

// maxSocketPath is the longest path every Unix accepts for a socket: macOS
// allows 104 bytes with the final NUL, Linux 108.
const maxSocketPath = 103

// Layout names the files below one home directory.
type Layout struct {
	Home string
}

// FromEnv finds the home: MEMORY_HOME, or surrealdb-memory below
// CLAUDE_CONFIG_DIR, or below ~/.claude. The result is absolute; without any of
// the three it lies in the temporary directory, so that a hook never fails.
func FromEnv(getenv func(string) string) Layout {
	if home := getenv("MEMORY_HOME"); home != "" {
		return Layout{Home: absolute(home)}
	}
	if dir := getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return Layout{Home: absolute(filepath.Join(dir, "surrealdb-memory"))}
	}
	if home := getenv("HOME"); home != "" {
		return Layout{Home: absolute(filepath.Join(home, ".claude", "surrealdb-memory"))}
	}
	if !isOurs(private()) {
		// Somebody else's folder of that name: their settings must not become ours.
		// Below a file nothing can be read or written, and every hook fails open.
		return Layout{Home: filepath.Join(os.DevNull, "surrealdb-memory")}
	}
	return Layout{Home: filepath.Join(private(), "home")}
}

// ConfigFile is the user's settings.
func (l Layout) ConfigFile() string { return filepath.Join(l.Home, "config.json") }

// Data is where a local engine keeps its files.
func (l Layout) Data() string { return filepath.Join(l.Home, "data") }

// Journal is where the agent keeps what it ingested, to rebuild the store from.
func (l Layout) Journal() string { return filepath.Join(l.Home, "journal") }

// Backups is where the agent's daily backups lie.
func (l Layout) Backups() string { return filepath.Join(l.Home, "backups") }

// Imports is what is kept between two imports: which transcripts were read.
func (l Layout) Imports() string { return filepath.Join(l.Home, "imports.json") }

// Spool is where capture hooks leave events for the agent.
func (l Layout) Spool() string { return filepath.Join(l.Home, "spool") }

// FallbackSpool takes events while Home cannot be written. It lies in the
// temporary directory, in a folder of this user's that belongs to this home.
func (l Layout) FallbackSpool() string { return filepath.Join(private(), l.id(), "spool") }

// Logs is the directory of the log files.
func (l Layout) Logs() string { return filepath.Join(l.Home, "logs") }

// HookLog has one line for each hook that could not do its work.
func (l Layout) HookLog() string { return filepath.Join(l.Logs(), "hooks.log") }

// AgentLog is what memoryd says.
func (l Layout) AgentLog() string { return filepath.Join(l.Logs(), "memoryd.log") }

// EngineLog is what the local engine says.
func (l Layout) EngineLog() string { return filepath.Join(l.Logs(), "engine.log") }

// Run is the directory of what only lives while the agent does.
func (l Layout) Run() string { return filepath.Join(l.Home, "run") }

// Lock is held by the one agent of this home.
func (l Layout) Lock() string { return filepath.Join(l.Run(), "memoryd.lock") }

// PIDFile names the agent's process.
func (l Layout) PIDFile() string { return filepath.Join(l.Run(), "memoryd.pid") }

// StartMark is touched by whoever starts the agent, so that a burst of hooks
// starts it once.
func (l Layout) StartMark() string { return filepath.Join(l.Run(), "memoryd.starting") }

// ReadyMark exists while the agent can answer: it is up and so is its store.
func (l Layout) ReadyMark() string { return filepath.Join(l.Run(), "memoryd.ready") }

// OffMark exists while the project with that key is not to be remembered.
func (l Layout) OffMark(projectKey string) string {
	return filepath.Join(l.Home, "off", hash(projectKey))
}

// FailedMark exists while a command has failed in a session and not succeeded
// since, so that its success is captured, whatever the command.
func (l Layout) FailedMark(session, command string) string {
	return filepath.Join(l.FailedMarks(), hash(session+"\x00"+command))
}

// FailedMarks is the directory of those marks; old ones may be deleted.
func (l Layout) FailedMarks() string { return filepath.Join(l.Home, "failed") }

// Engine is where the embedded engine is installed, unless the settings name
// another place: all versions of the plugin use the same.
func (l Layout) Engine() string { return filepath.Join(l.Home, "engine") }

// Socket is where the agent listens. A home too deep for a socket path gets one
// in the temporary directory instead.
func (l Layout) Socket() string {
	path := filepath.Join(l.Run(), "memoryd.sock")
	if len(path) <= maxSocketPath {
		return path
	}
	return filepath.Join(private(), l.id()+".sock")
}

// PluginRoot is the plugin's directory: the parent of the one (bin or libexec)
// that holds the program.
func PluginRoot(executable string) string {
	return filepath.Dir(filepath.Dir(executable))
}

// Program is another program of the plugin, given the path of one of them.
func Program(executable, name string) string {
	return filepath.Join(PluginRoot(executable), "libexec", name)
}

func (l Layout) id() string { return hash(l.Home) }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// private is this user's folder in the temporary directory. Whoever uses it
// creates it with 0700 and checks that it is their own.
func private() string {
	return filepath.Join(os.TempDir(), "surrealdb-memory-"+strconv.Itoa(os.Getuid()))
}

func absolute(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil { // only when the working directory is gone
		return filepath.Clean(path)
	}
	return abs
}
