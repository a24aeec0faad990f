package describe

import (
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// maxError is the length that an error text is cut to, in bytes.
const maxError = 4000

// ToolFailure makes the event of a tool that failed; without an id it is not worth
// remembering. The error is ErrNoSession.
func ToolFailure(o Occurrence) (memory.Event, error) {
	command := o.Input.ToolInput.String("command")
	// An interrupted command did not fail: the user stopped it.
	if o.Input.ToolName != "Bash" || command == "" || o.Input.IsInterrupt || neverRan(o.Input.Error) {
		return memory.Event{}, nil
	}
	event, err := New(o, memory.EventCommandFailed)
	if err != nil {
		return memory.Event{}, err
	}
	event.Tool = o.Input.ToolName
	event.Command = Text(command)
	event.Purpose = Purpose(command)
	event.Error = memory.Cut(Text(o.Input.Error), maxError)
	return event, nil
}

// neverRan says whether an error tells of a call that was not carried out: it was
// refused, or the client found it invalid.
func neverRan(text string) bool {
	text = strings.TrimPrefix(text, "Error: ")
	return slices.ContainsFunc([]string{
		"The user doesn't want to", "[Request interrupted", "<tool_use_error>", "Permission to use", "Claude requested permissions",
	}, func(beginning string) bool { return strings.HasPrefix(text, beginning) })
}
