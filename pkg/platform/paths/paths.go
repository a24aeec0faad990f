// Package paths defines where files are: everything is under one home directory, and
// nothing is in a folder that users share, such as the one for temporary files. It does
// not create, read or delete anything.
package paths

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// maxSocketPath is the longest path every Unix accepts for a socket: macOS
// allows 104 bytes with the final NUL, Linux 108.
const maxSocketPath = 103

// Layout names the files below one home directory.
type Layout struct {
	Home string

	userHome   string // the user's home directory; "" if it is not known
	runtimeDir string // XDG_RUNTIME_DIR; "" if there is none
}

// FromEnv finds the home: MEMORY_HOME, or surrealdb-memory below CLAUDE_CONFIG_DIR, or
// below ~/.claude; see Resolve. The result is absolute. Without any of the three it is a path where
// nothing can be read or written, and every hook fails open: memories must not go to a
// folder that users share.
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

// userHome is the user's home directory; "" if the environment names no absolute one.
func userHome(getenv func(string) string) string {
	for _, name := range []string{"HOME", "USERPROFILE"} { // the latter on Windows, outside of Git Bash
		if home := getenv(name); isAbsolute(home) {
			return home
		}
	}
	return ""
}

// isAbsolute reports whether a path is absolute; on Windows also one without a drive, as in Git
// Bash.
func isAbsolute(path string) bool {
	return filepath.IsAbs(path) || path != "" && os.IsPathSeparator(path[0])
}

// homeNames are how people write the home directory. A client passes on the variables of its
// settings as they are written there: no shell has replaced them.
var homeNames = []string{"~", "$HOME", "${HOME}", "%USERPROFILE%"}

// belowHome is the rest of a path that begins with a name of the home directory.
func belowHome(path string) (string, bool) {
	for _, name := range homeNames {
		if rest, found := strings.CutPrefix(path, name); found && (rest == "" || rest[0] == '/' || os.IsPathSeparator(rest[0])) {
			return rest, true
		}
	}
	return path, false
}

// IsPlace reports whether a path means the same file in every working directory: it is
// absolute, or begins with a name for the user's home directory.
func IsPlace(path string) bool {
	_, found := belowHome(path)
	return found || isAbsolute(path)
}

// Resolve makes a path of the environment or the settings absolute. ~ and relative paths
// start at the user's home directory, because the working directory is that of the caller,
// such as a repository. It is "" if the path is, or the home directory is unknown.
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

// ConfigFile is the user's settings.
func (l Layout) ConfigFile() string { return filepath.Join(l.Home, "config.json") }

// Data is the directory of a local engine's files.
func (l Layout) Data() string { return filepath.Join(l.Home, "data") }

// Journal is the directory of ingested events and changes, from which the store can be
// rebuilt.
func (l Layout) Journal() string { return filepath.Join(l.Home, "journal") }

// Backups is the directory of the daemon's daily backups.
func (l Layout) Backups() string { return filepath.Join(l.Home, "backups") }

// Imports is the record of the transcripts that earlier imports have read.
func (l Layout) Imports() string { return filepath.Join(l.Home, "imports.json") }

// Purged is the list, by hashes, of what is never to be stored again.
func (l Layout) Purged() string { return filepath.Join(l.Home, "purged.json") }

// Clients is the directory of what we changed in the settings of Codex and of Claude Code.
func (l Layout) Clients() string { return filepath.Join(l.Home, "clients") }

// Bin has the programs that people, the status line, the system and other agents call, whatever the plugin's version; see package
// launcher.
func (l Layout) Bin() string { return filepath.Join(l.Home, "bin") }

// Launcher is the program that Codex calls; see package launcher.
func (l Layout) Launcher() string { return filepath.Join(l.Clients(), "run") }

// Sync holds the mailbox of the user's machines, and its key.
func (l Layout) Sync() string { return filepath.Join(l.Home, "sync") }

// DistillOffers are files, one for each time that the user was asked about distillation; the last time with the estimate in
// DistillBill.
func (l Layout) DistillOffers() [3]string {
	return [3]string{
		filepath.Join(l.Home, "distill-offered-1"), filepath.Join(l.Home, "distill-offered-2"),
		filepath.Join(l.Home, "distill-offered-3"),
	}
}

// DistillBill is the estimate of what a model would have cost for the sessions since the user was asked about one.
func (l Layout) DistillBill() string { return filepath.Join(l.Home, "distill-bill.json") }

// Receipts names the user's memories that a model has replaced and of which the user is still to be told.
func (l Layout) Receipts() string { return filepath.Join(l.Home, "receipts.json") }

// Places is where the daemon notes which folders it has seen, and which projects they are.
func (l Layout) Places() string { return filepath.Join(l.Home, "places.json") }

// Spool is the directory in which capture hooks leave events for the daemon.
func (l Layout) Spool() string { return filepath.Join(l.Home, "spool") }

// Spools are all directories where events of this home may wait.
func (l Layout) Spools() []string { return append([]string{l.Spool()}, l.FallbackSpools()...) }

// FallbackSpools receive events while Home is not writable; hooks use the first writable one.
// They belong to this user and this home: one below the user's home directory, which is
// permanent, and one in XDG_RUNTIME_DIR, in case that disk is full.
func (l Layout) FallbackSpools() []string {
	var all []string
	for _, dir := range []string{l.state(), l.runtimeState()} {
		if dir != "" {
			all = append(all, filepath.Join(dir, l.id(), "spool"))
		}
	}
	return all
}

// IsFallbackSpool reports whether a folder has the name of a fallback spool of this home,
// wherever it is: another process's environment may differ.
func (l Layout) IsFallbackSpool(dir string) bool {
	return filepath.IsAbs(dir) && strings.HasSuffix(filepath.Clean(dir),
		string(filepath.Separator)+filepath.Join("surrealdb-memory", l.id(), "spool"))
}

// state is the folder for files of this user that belong to no home.
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

// Logs is the directory of the log files.
func (l Layout) Logs() string { return filepath.Join(l.Home, "logs") }

// HookLog has one line for each hook run that failed.
func (l Layout) HookLog() string { return filepath.Join(l.Logs(), "hooks.log") }

// DaemonLog is the log of memoryd.
func (l Layout) DaemonLog() string { return filepath.Join(l.Logs(), "memoryd.log") }

// EngineLog is the log of the local engine.
func (l Layout) EngineLog() string { return filepath.Join(l.Logs(), "engine.log") }

// Run is the directory of files that matter only while the daemon runs.
func (l Layout) Run() string { return filepath.Join(l.Home, "run") }

// Lock is held by the one daemon of this home.
func (l Layout) Lock() string { return filepath.Join(l.Run(), "memoryd.lock") }

// PIDFile names the daemon's process.
func (l Layout) PIDFile() string { return filepath.Join(l.Run(), "memoryd.pid") }

// StartMark is touched by whoever starts the daemon, so that a burst of hooks
// starts it once.
func (l Layout) StartMark() string { return filepath.Join(l.Run(), "memoryd.starting") }

// ReadyMark exists while the daemon can answer: it is up and so is its store.
func (l Layout) ReadyMark() string { return filepath.Join(l.Run(), "memoryd.ready") }

// Beat is the heartbeat file, touched by the daemon every few seconds: an old one means
// that the daemon hangs, is idle or is gone.
func (l Layout) Beat() string { return filepath.Join(l.Run(), "memoryd.beat") }

// Trouble is the file with the reason why the daemon could not start the last time.
func (l Layout) Trouble() string { return filepath.Join(l.Run(), "memoryd.trouble") }

// Made are all files and directories that the product makes for this home, here and elsewhere. Beside Data and Journal there may be
// others that begin with their names.
func (l Layout) Made() []string {
	offers := l.DistillOffers()
	made := append([]string{
		l.Data(), l.Journal(), l.Backups(), l.Spool(), l.Logs(), l.OffMarks(), l.FailedMarks(), l.Engine(), l.Imports(), l.Purged(), l.Sync(),
		l.Clients(), l.Bin(), l.ConfigFile(), l.StoreNotice(), l.DistillBill(), l.Receipts(), l.Places(), l.Run(), l.Socket(),
	}, offers[:]...)
	for _, dir := range l.FallbackSpools() {
		made = append(made, filepath.Dir(dir))
	}
	return made
}

// OffMark exists while memory is off for the project with that key.
func (l Layout) OffMark(projectKey string) string {
	return filepath.Join(l.OffMarks(), hash(projectKey))
}

// OffMarks is the directory of those marks.
func (l Layout) OffMarks() string { return filepath.Join(l.Home, "off") }

// FailedMark exists while commands have failed in a session and not succeeded since, so
// that their fixes are captured, whatever the command. Its lines are hashes.
func (l Layout) FailedMark(session string) string {
	return filepath.Join(l.FailedMarks(), hash(session))
}

// IdleMark exists while a session waits for its user: no turn is under way. It lies beside those marks.
func (l Layout) IdleMark(session string) string { return l.FailedMark(session) + ".idle" }

// AskedMark exists while a command of the model's may run about which the client asks the user.
func (l Layout) AskedMark(session string) string { return l.FailedMark(session) + ".asked" }

// NestedMark exists for a session whose client was started by a command of a client.
func (l Layout) NestedMark(session string) string { return l.FailedMark(session) + ".nested" }

// FailedMarks is the directory of those marks; old ones may be deleted.
func (l Layout) FailedMarks() string { return filepath.Join(l.Home, "failed") }

// Engine is where the embedded engine is installed, unless the settings name
// another place: all versions of the plugin use the same.
func (l Layout) Engine() string { return filepath.Join(l.Home, "engine") }

// StoreNotice is the file about an automatic rebuild of the store: its time, reason and
// source. Its age counts.
func (l Layout) StoreNotice() string { return filepath.Join(l.Home, "store-notice.txt") }

// Socket is where the daemon listens. Where a socket's path must be short, a home
// too deep for one gets one below the user's home directory instead; on Linux
// package daemonapi reaches a socket in any folder.
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

// PluginRoot is the plugin's directory: the parent of the one (bin or libexec)
// that holds the program.
func PluginRoot(executable string) string {
	return filepath.Dir(filepath.Dir(executable))
}

// InstalledRoot is the plugin's directory as the client knows it: the programs may lie in one below it, where npm or
// the plugin's own fetch.sh has put them.
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

// Program is another program of the plugin, given the path of one of them.
func Program(executable, name string) string {
	return filepath.Join(PluginRoot(executable), "libexec", name)
}

// CLI is the program for people, given the path of one of the plugin's.
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
	if err != nil { // only when the working directory is gone
		return filepath.Clean(path)
	}
	return abs
}

// ClientDir is the directory of the client's settings; if it is not known, one that cannot be.
func ClientDir(getenv func(string) string) string {
	return cmp.Or(Resolve(getenv, cmp.Or(getenv("CLAUDE_CONFIG_DIR"), "~/.claude")), filepath.Join(os.DevNull, ".claude"))
}
