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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// errNotStarted is returned if no daemon runs at the hook's deadline.
var errNotStarted = errors.New("the daemon did not start in time")

// cannotStart is the error that the daemon's program or its folder is missing.
type cannotStart struct{ error }

func (e *cannotStart) Unwrap() error { return e.error }

// daemonTrouble is the error of a daemon that could not start and left a file with the reason.
type daemonTrouble struct{ trouble daemonapi.Trouble }

func (e *daemonTrouble) Error() string { return e.trouble.Problem }

// sourceCompact is the source of a start after a compaction: the session goes on, and its user has seen the notice.
const sourceCompact = "compact"

// notice returns the text that tells the user why memory does not work, with one command that helps, or "" if it works
// or notices are off. kept reports whether the session's events are in a spool.
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
	text := "surrealdb-memory: " + paths.Tildes(trouble.Problem, home) + ". Meanwhile, events are "
	if kept {
		text += "kept for later."
	} else {
		text += "lost."
	}
	if trouble.Command == "" && trouble.Help == "" {
		return text
	}
	help := paths.Tildes(trouble.Help, home)
	if trouble.Command != "" {
		if help != "" {
			help += ": "
		}
		help += cliCommand(call, trouble.Command)
	}
	return text + " To fix it: " + help
}

// troubleOf returns the problem in an error that the user can solve, or nil. A slow daemon is not such a problem.
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

// leftTrouble reads the file with the reason why a daemon could not start. It returns nil if there is none.
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

// cliCommand returns a CLI command as the user can run it where a notice is shown. In Claude Code `memory` is on the shell's
// PATH. Elsewhere it is called by name if it is on the PATH, else by npx, else by the path that stays the same over updates.
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
	return shell.Quote(filepath.Join(call.Paths.Bin(), "memory")) + " " + command
}
