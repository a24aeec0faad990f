package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/shell"
)

// MarkFailing notes that a command failed in this session, so that the hooks of later
// successful commands know that one of these may be its fix. Errors are ignored: without
// the mark only this command's fix is not kept.
func MarkFailing(call *hook.Call, command string) {
	if shell.LooksAround(command) {
		return
	}
	failing := failing(call)
	if line := lineOf(shell.Core(command)); !slices.Contains(failing, line) {
		mark(call, append(failing, line))
	}
}

// Failing tells whether a command failed earlier in this session and had not succeeded
// since, and takes the one that succeeded, if any, off these.
func Failing(call *hook.Call, succeeded string) bool {
	failing := failing(call)
	if len(failing) == 0 {
		return false
	}
	var lines []string
	for _, core := range shell.Cores(succeeded) {
		lines = append(lines, lineOf(core))
	}
	if rest := slices.DeleteFunc(slices.Clone(failing), func(one string) bool { return slices.Contains(lines, one) }); len(rest) < len(failing) {
		mark(call, rest)
	}
	return true
}

// Forget deletes the marks of a session that is over.
func Forget(call *hook.Call) {
	mark(call, nil)
	Busy(call)
}

// Idle notes that the session waits for its user: what is run in it from now on behind the client's ! is a person's. Errors are ignored:
// without the mark no command counts as a person's.
func Idle(call *hook.Call) { put(call.Paths.IdleMark(call.Input.SessionID), nil) }

// Busy notes that a turn is under way.
func Busy(call *hook.Call) { _ = os.Remove(call.Paths.IdleMark(call.Input.SessionID)) }

// failing are the lines of the session's mark.
func failing(call *hook.Call) []string {
	text, err := os.ReadFile(call.Paths.FailedMark(call.Input.SessionID))
	if err != nil { // as a rule there is none
		return nil
	}
	return strings.Fields(string(text))
}

// mark writes the session's mark, or deletes it.
func mark(call *hook.Call, lines []string) {
	file, text := call.Paths.FailedMark(call.Input.SessionID), []byte(strings.Join(lines, "\n"))
	if len(lines) == 0 {
		_ = os.Remove(file)
		return
	}
	put(file, text)
}

func put(file string, text []byte) {
	err := os.WriteFile(file, text, 0o600)
	if errors.Is(err, fs.ErrNotExist) && os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		_ = os.WriteFile(file, text, 0o600)
	}
}

// lineOf stands for the core of a command. It does not tell it: a command may have a
// secret in it.
func lineOf(core string) string {
	sum := sha256.Sum256([]byte(core))
	return hex.EncodeToString(sum[:8])
}
