package hooks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// markFailing records that a command failed in this session, so that later successful commands are recorded as possible
// fixes. It ignores errors: only the fix of this command is lost.
func markFailing(call *hook.Call, command string) {
	if shell.IsReadOnly(command) {
		return
	}
	failing := failing(call)
	if line := client.Hash(shell.CoreOf(command)); !slices.Contains(failing, line) {
		setFailing(call, append(failing, line))
	}
}

// mayBeFix reports whether a command that succeeded may be the fix of a command that failed earlier in this session and
// has not succeeded since. It removes the hashes of the commands that have succeeded now.
func mayBeFix(call *hook.Call, succeeded string) bool {
	failing := failing(call)
	if len(failing) == 0 {
		return false
	}
	var lines []string
	for _, run := range shell.Succeeded(succeeded) {
		lines = append(lines, client.Hash(shell.CoreOf(run.Command)))
	}
	if rest := slices.DeleteFunc(slices.Clone(failing),
		func(one string) bool { return slices.Contains(lines, one) }); len(rest) < len(failing) {
		setFailing(call, rest)
	}
	return true
}

// deleteMarkers deletes the marker files of an ended session.
func deleteMarkers(call *hook.Call) {
	setFailing(call, nil)
	markMissed(call, "", false)
	markBusy(call)
	endCalls(call)
	_ = os.Remove(call.Paths.NestedMarker(call.Input.SessionID, call.ClientPID()))
}

// markIdle records that the client waits for its user, so that commands behind the client's ! count as a person's. It
// ignores errors: without the marker no command counts as a person's.
func markIdle(call *hook.Call) { mark(call, call.Paths.IdleMarker, "") }

// markAsked records that the client asks the user about a command, so that this command, and no other, counts as allowed by a person. It
// ignores errors: without the marker the memory refuses the command.
func markAsked(call *hook.Call) {
	mark(call, call.Paths.AskedMarker, client.Hash(call.Input.ToolInput.String("command")))
}

func mark(call *hook.Call, marker func(client int) string, text string) {
	if pid := call.ClientPID(); !call.Past && pid > 0 {
		writeMarker(marker(pid), []byte(text))
	}
}

// markBusy records that a turn is running, and that the user was not asked about a command.
func markBusy(call *hook.Call) {
	if pid := call.ClientPID(); !call.Past && pid > 0 {
		_ = os.Remove(call.Paths.IdleMarker(pid))
		_ = os.Remove(call.Paths.AskedMarker(pid))
	}
}

// markCall records that a call by which a model runs commands has begun. A call of the main conversation shows that a turn is running, which
// may have begun without a prompt (after a command behind the client's !). Agents also work in the background, while the client waits for its user.
func markCall(call *hook.Call) {
	if call.Input.AgentID == "" {
		markBusy(call)
	}
	name := callName(call) + client.Hash(call.Input.ToolUseID)
	mark(call, func(pid int) string { return filepath.Join(call.Paths.CallMarkers(pid), name) }, "")
}

// callName returns the beginning of the names of the markers of an agent's calls, or of those of the main conversation.
func callName(call *hook.Call) string { return client.Hash(call.Input.AgentID) + "-" }

// endCall records that a call has its result. What an agent's call has started and left running began before the marker of a waiting client.
func endCall(call *hook.Call) {
	pid := call.ClientPID()
	err := os.Remove(filepath.Join(call.Paths.CallMarkers(pid), callName(call)+client.Hash(call.Input.ToolUseID)))
	if idle := call.Paths.IdleMarker(pid); err == nil {
		later := time.Now().Add(time.Second) // ps reports whole seconds
		_ = os.Chtimes(idle, later, later)
	}
}

// endCalls records that no call of the conversation or agent runs any more: also none that was refused or interrupted, which has no result.
func endCalls(call *hook.Call) {
	dir := call.Paths.CallMarkers(call.ClientPID())
	entries, _ := os.ReadDir(dir) // usually there is no directory
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), callName(call)) {
			_ = os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
}

// markNested records whether a model started the client of this session, so that its prompts are the model's. It ignores errors.
func markNested(call *hook.Call) {
	if marker := call.Paths.NestedMarker(call.Input.SessionID, call.ClientPID()); client.IsNested(process.Ancestors()) {
		writeMarker(marker, nil)
	} else {
		_ = os.Remove(marker)
	}
}

// markScheduled records a prompt that the model gave to a tool such as CronCreate: the client submits it later as if the user had typed
// it. It ignores errors.
func markScheduled(call *hook.Call) {
	prompt := call.Input.ToolInput.String("prompt")
	submitsNothing := slices.Contains([]string{"Agent", "Task", "WebFetch"}, call.Input.ToolName) || strings.HasPrefix(call.Input.ToolName, "mcp__")
	if prompt != "" && !submitsNothing {
		writeMarker(call.Paths.ScheduledMarker(client.Hash(prompt)), nil)
	}
}

// markMissed records that a session's start had no answer, and the start's source, so that the next prompt gets the start's text. If
// isMissed is false, it removes the record. It ignores errors.
func markMissed(call *hook.Call, source string, isMissed bool) {
	if marker := call.Paths.MissedMarker(call.Input.SessionID); isMissed {
		writeMarker(marker, []byte(source))
	} else {
		_ = os.Remove(marker)
	}
}

// failing returns the hashes of the commands that are failing in this session.
func failing(call *hook.Call) []string {
	text, err := os.ReadFile(call.Paths.FailedMarker(call.Input.SessionID))
	if err != nil { // usually there is no marker
		return nil
	}
	return strings.Fields(string(text))
}

// setFailing writes the hashes of the failing commands, or deletes the marker if there are none.
func setFailing(call *hook.Call, lines []string) {
	file, text := call.Paths.FailedMarker(call.Input.SessionID), []byte(strings.Join(lines, "\n"))
	if len(lines) == 0 {
		_ = os.Remove(file)
		return
	}
	writeMarker(file, text)
}

func writeMarker(file string, text []byte) {
	err := os.WriteFile(file, text, 0o600)
	if errors.Is(err, fs.ErrNotExist) && os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		_ = os.WriteFile(file, text, 0o600)
	}
}
