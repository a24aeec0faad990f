// Package paths defines where files are. Nearly everything is under one home directory, and nothing in a folder that
// users share, such as the one for temporary files. The package does not create, read or delete files.
package paths

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// maxSocketPath is the maximum length in bytes of a socket's path on every Unix: macOS allows 104 bytes with the
// final NUL, Linux 108.
const maxSocketPath = 103

type Layout struct {
	Home string

	userHome   string // the user's home directory, or "" if unknown
	runtimeDir string // XDG_RUNTIME_DIR, or ""
}

// FromEnv returns the layout of the home: MEMORY_HOME, or surrealdb-memory below CLAUDE_CONFIG_DIR or ~/.claude; see
// Resolve. Home is absolute. If all three are unknown, Home is a path that nobody can read or write, so that hooks
// fail open and do not write to a folder that users share.
func FromEnv(getenv func(string) string) Layout {
	l := Layout{userHome: userHome(getenv)}
	if dir := getenv("XDG_RUNTIME_DIR"); isAbsolute(dir) {
		l.runtimeDir = dir
	}
	l.Home = filepath.Join(ClientDir(getenv), "surrealdb-memory")
	if given := getenv("MEMORY_HOME"); given != "" {
		l.Home = cmp.Or(Resolve(getenv, given), filepath.Join(os.DevNull, "surrealdb-memory"))
	}
	return l
}

// userHome returns the user's home directory, or "" if the environment has no absolute one.
func userHome(getenv func(string) string) string {
	for _, name := range []string{"HOME", "USERPROFILE"} { // USERPROFILE: on Windows, outside of Git Bash
		if home := getenv(name); isAbsolute(home) {
			return home
		}
	}
	return ""
}

// isAbsolute reports whether a path is absolute. On Windows a path without a drive counts, as in Git Bash.
func isAbsolute(path string) bool {
	return filepath.IsAbs(path) || path != "" && os.IsPathSeparator(path[0])
}

// homeNames are the ways to write the home directory. A client passes on the variables in its settings verbatim,
// without a shell that replaces these names.
var homeNames = []string{"~", "$HOME", "${HOME}", "%USERPROFILE%"}

// belowHome returns the rest of a path that begins with a name of the home directory.
func belowHome(path string) (string, bool) {
	for _, name := range homeNames {
		if rest, found := strings.CutPrefix(path, name); found && (rest == "" || rest[0] == '/' || os.IsPathSeparator(rest[0])) {
			return rest, true
		}
	}
	return path, false
}

// IsPlace reports whether a path means the same file in every working directory: it is absolute, or begins with a
// name of the user's home directory.
func IsPlace(path string) bool {
	_, found := belowHome(path)
	return found || isAbsolute(path)
}

// Resolve makes a path from the environment or the settings absolute. ~ and relative paths start at the user's home
// directory, because the working directory is the caller's, such as a repository. It returns "" for an empty path
// or an unknown home directory.
func Resolve(getenv func(string) string, path string) string {
	path = strings.TrimSpace(path)
	rest, isBelow := belowHome(path)
	if isAbsolute(path) && !isBelow {
		return absolute(path)
	}
	if home := userHome(getenv); home != "" && path != "" {
		return absolute(filepath.Join(home, rest))
	}
	return ""
}

func (l Layout) ConfigFile() string { return filepath.Join(l.Home, "config.json") }

func (l Layout) Data() string { return filepath.Join(l.Home, "data") }

// Journal returns the directory of ingested events and changes, from which the store can be rebuilt.
func (l Layout) Journal() string { return filepath.Join(l.Home, "journal") }

func (l Layout) Backups() string { return filepath.Join(l.Home, "backups") }

// Purged returns the file with hashes of texts that must never be stored again.
func (l Layout) Purged() string { return filepath.Join(l.Home, "purged.json") }

// Clients returns the directory that records our changes to the settings of Codex and Claude Code.
func (l Layout) Clients() string { return filepath.Join(l.Home, "clients") }

// Bin returns the directory of the launchers that people, the status line, the system and other agents call,
// whatever the plugin's version; see package launcher.
func (l Layout) Bin() string { return filepath.Join(l.Home, "bin") }

// Launcher returns the launcher that Codex calls; see package launcher.
func (l Layout) Launcher() string { return filepath.Join(l.Clients(), "run") }

// Sync returns the directory of the mailbox between the user's machines, and its key.
func (l Layout) Sync() string { return filepath.Join(l.Home, "sync") }

// Handled returns the file with the names of the letters of Sync that the store has. Whoever replaces the store deletes the file.
func (l Layout) Handled() string { return filepath.Join(l.Sync(), "handled") }

// IsSynced reports whether the user has set up an exchange between machines.
func (l Layout) IsSynced() bool {
	_, err := os.Stat(filepath.Join(l.Sync(), "repository", "HEAD"))
	return err == nil
}

// DistillOffers returns one marker file for each time that the user was asked about distillation.
func (l Layout) DistillOffers() [2]string {
	return [2]string{filepath.Join(l.Home, "distill-offered-1"), filepath.Join(l.Home, "distill-offered-2")}
}

// Receipts returns the file of the user's memories that a model has replaced and that the user has not been told about.
func (l Layout) Receipts() string { return filepath.Join(l.Home, "receipts.json") }

// Places returns the file in which the daemon notes the folders that it has seen, and their projects.
func (l Layout) Places() string { return filepath.Join(l.Home, "places.json") }

// Spool returns the directory in which hooks leave events for the daemon.
func (l Layout) Spool() string { return filepath.Join(l.Home, "spool") }

// Spools returns all directories in which events of this home may wait.
func (l Layout) Spools() []string { return append([]string{l.Spool()}, l.FallbackSpools()...) }

// FallbackSpools returns the spools for events while Home is not writable; hooks use the first writable spool. They
// belong to this user and this home: a permanent spool below the user's home directory, and a spool in
// XDG_RUNTIME_DIR in case the disk is full.
func (l Layout) FallbackSpools() []string {
	var all []string
	for _, dir := range []string{l.state(), l.runtimeState()} {
		if dir != "" {
			all = append(all, filepath.Join(dir, l.id(), "spool"))
		}
	}
	return all
}

// IsFallbackSpool reports whether a folder has the name of a fallback spool of this home, in any directory: the
// environment of another process may differ.
func (l Layout) IsFallbackSpool(dir string) bool {
	return filepath.IsAbs(dir) && strings.HasSuffix(filepath.Clean(dir),
		string(filepath.Separator)+filepath.Join("surrealdb-memory", l.id(), "spool"))
}

// state returns the folder for files that cannot lie in Home. The names of this home's files in it begin with l.id().
func (l Layout) state() string {
	if l.userHome == "" {
		return ""
	}
	return absolute(filepath.Join(l.userHome, ".local", "state", "surrealdb-memory"))
}

func (l Layout) runtimeState() string {
	if l.runtimeDir == "" {
		return ""
	}
	return absolute(filepath.Join(l.runtimeDir, "surrealdb-memory"))
}

func (l Layout) Logs() string { return filepath.Join(l.Home, "logs") }

// HookLog returns the log of failed hook runs, one line each.
func (l Layout) HookLog() string { return filepath.Join(l.Logs(), "hooks.log") }

func (l Layout) DaemonLog() string { return filepath.Join(l.Logs(), "memoryd.log") }

func (l Layout) EngineLog() string { return filepath.Join(l.Logs(), "engine.log") }

// Run returns the directory of files that matter only while the daemon runs.
func (l Layout) Run() string { return filepath.Join(l.Home, "run") }

// Lock returns the file that the home's only daemon holds locked.
func (l Layout) Lock() string { return filepath.Join(l.Run(), "memoryd.lock") }

func (l Layout) PIDFile() string { return filepath.Join(l.Run(), "memoryd.pid") }

// StartMarker returns the file that each starter of the daemon touches, so that a burst of hooks starts it once.
func (l Layout) StartMarker() string { return filepath.Join(l.Run(), "memoryd.starting") }

// ReadyMarker returns the file that exists while the daemon and its store can answer.
func (l Layout) ReadyMarker() string { return filepath.Join(l.Run(), "memoryd.ready") }

// Heartbeat returns the file that the daemon touches every few seconds. If it is old, the daemon hangs, is idle or is gone.
func (l Layout) Heartbeat() string { return filepath.Join(l.Run(), "memoryd.beat") }

// Trouble returns the file with the reason why the last start of the daemon failed.
func (l Layout) Trouble() string { return filepath.Join(l.Run(), "memoryd.trouble") }

// AllPaths returns all files and directories that the product makes for this home, inside and outside of it. Copies
// of Data and Journal, whose names begin like theirs, may exist as well.
func (l Layout) AllPaths() []string {
	offers := l.DistillOffers()
	made := append([]string{
		l.Data(), l.Journal(), l.Backups(), l.Spool(), l.Logs(), l.OffMarkers(), filepath.Join(l.Home, "only"), l.FailedMarkers(), l.Engine(), l.Purged(), l.Sync(),
		l.Clients(), l.Bin(), l.ConfigFile(), l.StoreNotice(), l.Receipts(), l.Places(), l.Run(), l.Socket(),
	}, offers[:]...)
	for _, dir := range l.FallbackSpools() {
		made = append(made, filepath.Dir(dir))
	}
	return made
}

// OffMarker returns the marker file that exists while memory is off for a project.
func (l Layout) OffMarker(projectKey string) string {
	return filepath.Join(l.OffMarkers(), hash(projectKey))
}

func (l Layout) OffMarkers() string { return filepath.Join(l.Home, "off") }

// FailedMarker returns the marker file that exists while a session has a failed command that has not succeeded since. While it
// exists, hooks capture every command, because it may be the fix. Its lines are hashes of the failed commands.
func (l Layout) FailedMarker(session string) string {
	return filepath.Join(l.FailedMarkers(), hash(session))
}

// IdleMarker returns the marker file that exists while the client with this process id waits for its user. It is not
// named after the session, because a model can name any session.
func (l Layout) IdleMarker(client int) string {
	return filepath.Join(l.FailedMarkers(), strconv.Itoa(client)+".idle")
}

// AskedMarker returns the marker file that exists while a client asks the user about a command, and while that
// command runs. It holds a hash of the command.
func (l Layout) AskedMarker(client int) string {
	return filepath.Join(l.FailedMarkers(), strconv.Itoa(client)+".asked")
}

// CallMarkers returns the directory of the marker files of the calls by which models below a client run commands, while they run.
func (l Layout) CallMarkers(client int) string {
	return filepath.Join(l.FailedMarkers(), strconv.Itoa(client)+".calls")
}

// NestedMarker returns the marker file of a session in the client with this process id, which a command of another
// client started. The user may continue the same session in another client.
func (l Layout) NestedMarker(session string, client int) string {
	return l.FailedMarker(session) + "." + strconv.Itoa(client) + ".nested"
}

// ScheduledMarker returns the marker file of a prompt that a model has scheduled, by the prompt's hash.
func (l Layout) ScheduledMarker(hash string) string {
	return filepath.Join(l.FailedMarkers(), hash+".scheduled")
}

// MissedMarker returns the marker file of a session that has not got the text of its start. It holds the start's source.
func (l Layout) MissedMarker(session string) string { return l.FailedMarker(session) + ".missed" }

// FailedMarkers returns the directory of the marker files of sessions; old ones may be deleted.
func (l Layout) FailedMarkers() string { return filepath.Join(l.Home, "failed") }

// Engine returns the directory of the embedded engine, unless the settings name another. All versions of the plugin share it.
func (l Layout) Engine() string { return filepath.Join(l.Home, "engine") }

// StoreNotice returns the file about the last automatic rebuild of the store: its time, reason and source.
func (l Layout) StoreNotice() string { return filepath.Join(l.Home, "store-notice.txt") }

// Socket returns the path of the daemon's socket. If the home's path is too long for a socket, it is below the
// user's home directory instead, except on Linux, where package daemonapi reaches a socket in any folder.
func (l Layout) Socket() string {
	path := filepath.Join(l.Run(), "memoryd.sock")
	if len(path) <= maxSocketPath || runtime.GOOS == "linux" {
		return path
	}
	if l.userHome == "" {
		l.userHome = userHome(os.Getenv)
	}
	if short := filepath.Join(l.state(), l.id()+".sock"); l.state() != "" && len(short) <= maxSocketPath {
		return short
	}
	return path
}

// PluginRoot returns the plugin's directory: the parent of the folder (bin or libexec) with the program.
func PluginRoot(executable string) string {
	return filepath.Dir(filepath.Dir(executable))
}

// InstalledRoot returns the plugin's directory as the client knows it. The programs may lie in a directory below
// it, installed by npm or by the plugin's fetch.sh.
func InstalledRoot(executable string) string {
	root := PluginRoot(executable)
	above := filepath.Dir(root)
	switch {
	case filepath.Base(above) == "programs":
		return filepath.Dir(above)
	case filepath.Base(filepath.Dir(above)) == "node_modules":
		return filepath.Dir(filepath.Dir(above))
	}
	return root
}

// Program returns the path of the plugin's program name, given the path of any program of the plugin.
func Program(executable, name string) string {
	return filepath.Join(PluginRoot(executable), "libexec", name)
}

// CLI returns the path of the command for people, given the path of a plugin program.
func CLI(executable string) string {
	name := "memory"
	if runtime.GOOS == "windows" {
		name += ".cmd"
	}
	return filepath.Join(PluginRoot(executable), "bin", name)
}

func (l Layout) id() string { return hash(l.Home) }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

func absolute(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil { // the working directory is gone
		return filepath.Clean(path)
	}
	return abs
}

// ClientDir returns the directory of the client's settings, or a path that cannot exist if it is unknown.
func ClientDir(getenv func(string) string) string {
	return cmp.Or(Resolve(getenv, cmp.Or(getenv("CLAUDE_CONFIG_DIR"), "~/.claude")), filepath.Join(os.DevNull, ".claude"))
}

// Tildes replaces the user's home directory by ~ in the absolute paths of a message for people.
func Tildes(message, home string) string {
	message = " " + message
	for _, before := range " \t\n'\"(=" {
		message = strings.ReplaceAll(message, string(before)+home+"/", string(before)+Tilde(home, home)+"/")
	}
	return message[1:]
}

// Tilde replaces the user's home directory at the beginning of a path by ~, which a shell understands outside of quotes.
func Tilde(path, home string) string {
	if rest, is := strings.CutPrefix(path, home); is && home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}
