package hooks

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// errNotStarted: no daemon was running at the hook's deadline.
var errNotStarted = errors.New("the daemon did not start in time")

// cannotStart is the error of having no daemon to start, or no place for it.
type cannotStart struct{ error }

func (e *cannotStart) Unwrap() error { return e.error }

// daemonTrouble is the error of a daemon that could not start and left a file with the reason.
type daemonTrouble struct{ trouble daemonapi.Trouble }

func (e *daemonTrouble) Error() string { return e.trouble.Problem }

// sourceCompact is the start after a compaction: the same session goes on, and its user has seen
// the notice.
const sourceCompact = "compact"

// notice explains to the user why memory does not work, with the one command that helps. It is
// empty when memory works. kept is set if the session's events are in a spool.
func notice(call *hook.Call, trouble *daemonapi.Trouble, err error, kept bool) string {
	if !call.Config.Hooks.Notices || call.Input.Source == sourceCompact {
		return ""
	}
	if trouble == nil {
		trouble = troubleOf(err)
	}
	if trouble == nil {
		return ""
	}
	home := call.Getenv("HOME")
	text := "surrealdb-memory: " + paths.Shorten(trouble.Problem, home) + ". Meanwhile, events are "
	if kept {
		text += "kept for later."
	} else {
		text += "lost."
	}
	if trouble.Command == "" && trouble.Help == "" {
		return text
	}
	help := paths.Shorten(trouble.Help, home)
	if trouble.Command != "" {
		if help != "" {
			help += ": "
		}
		help += cliCommand(call, trouble.Command)
	}
	return text + " To fix it: " + help
}

// troubleOf is the part of an error that the user can act on: that no daemon starts, and
// not that one is slow.
func troubleOf(err error) *daemonapi.Trouble {
	var left *daemonTrouble
	var cannot *cannotStart
	switch {
	case err == nil, errors.Is(err, memory.ErrUnavailable):
		return nil
	case errors.As(err, &left):
		return &left.trouble
	case errors.Is(err, errNotStarted):
		return &daemonapi.Trouble{Problem: errNotStarted.Error(), Command: "doctor"}
	case errors.As(err, &cannot):
		reason := strings.ReplaceAll(strings.TrimPrefix(err.Error(), "start the daemon: "), "\n", "; ")
		return &daemonapi.Trouble{Problem: "the daemon cannot be started: " + reason, Command: "doctor"}
	}
	return nil
}

// leftTrouble reads the file that a daemon which could not start has left; nil if there
// is none.
func leftTrouble(file string) *daemonapi.Trouble {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var left daemonapi.Trouble
	if err := json.Unmarshal(content, &left); err != nil || left.Problem == "" {
		return nil
	}
	return &left
}

// cliCommand is a command of the CLI as the user can run it where a notice is shown: in Claude Code, whose shell has `memory` on
// its PATH; elsewhere by its name if it is on the PATH, else by npx, and without that by the path that stays when the plugin is
// updated.
func cliCommand(call *hook.Call, command string) string {
	if call.Client == "" {
		return "! memory " + command
	}
	if _, err := exec.LookPath("memory"); err == nil || runtime.GOOS == "windows" {
		return "memory " + command
	}
	if _, err := exec.LookPath("npx"); err == nil {
		return "npx surrealdb-memory " + command
	}
	return shellQuote(filepath.Join(call.Paths.Bin(), "memory")) + " " + command
}

// shellQuote quotes a text as one word for a POSIX shell.
func shellQuote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
