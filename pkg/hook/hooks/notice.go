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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// daemonTrouble is the error of a daemon that does not start, with what the user can do.
type daemonTrouble struct {
	error
	trouble daemonapi.Trouble
}

func (e *daemonTrouble) Unwrap() error { return e.error }

// sourceCompact is the source of a start after a compaction: the session goes on, and its user has seen the notice.
const sourceCompact = "compact"

// notice returns the text that tells the user why memory does not work, with one command that helps, or "" if it works
// or notices are off. kept reports whether the session's events are in a spool.
func notice(call *hook.Call, trouble *daemonapi.Trouble, err error, kept bool) string {
	if !call.Config.Hooks.Notices || call.Input.Source == sourceCompact {
		return ""
	}
	var found *daemonTrouble
	if trouble == nil && errors.As(err, &found) { // any other error comes from a slow daemon, and the user cannot solve it
		trouble = &found.trouble
	}
	if trouble == nil {
		return ""
	}
	home := call.Getenv("HOME")
	text := "surrealdb-memory: " + paths.Tildes(trouble.Problem, home)
	if trouble.IsOver {
		return text + ". Details: " + cliCommand(call, trouble.Command)
	}
	text += ". Meanwhile, events are " + map[bool]string{true: "kept for later.", false: "lost."}[kept]
	if trouble.Command == "" && trouble.Help == "" {
		return text
	}
	help := paths.Tildes(trouble.Help, home)
	if trouble.Command != "" {
		help = strings.TrimPrefix(help+": "+cliCommand(call, trouble.Command), ": ")
	}
	return text + " To fix it: " + help
}

// leftTrouble reads the file with the reason why a daemon could not start. It returns nil if it cannot read the file.
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

// cliCommand returns a CLI command as the user can run it where a notice is shown. In Claude Code `memory` is on the shell's PATH. Elsewhere it is called by
// name if it is on the PATH (on Windows always), else by npx, else by the path that stays the same over updates.
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
