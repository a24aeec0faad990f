package describe

import "github.com/surrealdb-memory/surrealdb-memory/pkg/memory"

// maxError is what is kept of an error text, in bytes.
const maxError = 4000

// ToolFailure makes the event of a tool that failed; without an id it is not worth
// remembering. The error is ErrNoSession.
func ToolFailure(o Occurrence) (memory.Event, error) {
	command := o.Input.ToolInput.String("command")
	// An interrupted command did not fail: the user stopped it.
	if o.Input.ToolName != "Bash" || command == "" || o.Input.IsInterrupt {
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
