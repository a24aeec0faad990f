// Package posttooluse keeps what tools did: files changed, and the shell
// commands that install, build, test, deploy or migrate.
package posttooluse

import (
	"context"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hook records file changes and significant commands.
var Hook = hook.Hook{
	Name:     "post-tool-use",
	Event:    hookio.PostToolUse,
	Deadline: func(h config.Hooks) time.Duration { return h.PostToolUse.Deadline },
	Run:      run,
}

// maxOutput is what is kept of a command's output, in bytes: its end, where the
// result stands.
const maxOutput = 2000

// maxText is what is kept of a changed text, in bytes: its beginning.
const maxText = 2000

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	var describe func(*hook.Call) (memory.Event, error)
	switch call.Input.ToolName {
	case "Write", "Edit":
		describe = fileChanged
	case "Bash":
		describe = commandSucceeded
	default:
		return hookio.Output{}, nil
	}
	event, err := describe(call)
	if err != nil || event.ID == "" {
		return hookio.Output{}, err
	}
	return hookio.Output{}, capture.Store(ctx, call, event)
}

func fileChanged(call *hook.Call) (memory.Event, error) {
	input := call.Input.ToolInput
	file := input.String("file_path")
	if file == "" {
		return memory.Event{}, nil
	}
	event, err := capture.New(call, memory.EventFileChanged)
	if err != nil {
		return memory.Event{}, err
	}
	event.Tool = call.Input.ToolName
	event.File = call.Project.Rel(file)
	content := input.String("content")
	if call.Input.ToolName == "Edit" {
		content = input.String("new_string")
		event.Before = head(capture.Text(input.String("old_string")))
	}
	event.Lines = lines(content)
	event.Truncated = event.Truncated || input.Get("content").Cut || input.Get("old_string").Cut || input.Get("new_string").Cut
	event.After = head(capture.Text(content))
	return event, nil
}

// commandSucceeded is empty for a command that is not worth remembering, or
// whose outcome is not known yet.
func commandSucceeded(call *hook.Call) (memory.Event, error) {
	command := call.Input.ToolInput.String("command")
	purpose := capture.Purpose(command)
	inBackground := call.Input.ToolInput.Bool("run_in_background") || call.Input.ToolResponse.String("backgroundTaskId") != ""
	if purpose == "" || inBackground || call.Input.ToolResponse.Bool("interrupted") {
		return memory.Event{}, nil
	}
	event, err := capture.New(call, memory.EventCommandSucceeded)
	if err != nil {
		return memory.Event{}, err
	}
	event.Tool = call.Input.ToolName
	event.Command = capture.Text(command)
	event.Purpose = purpose
	event.Output = capture.Tail(capture.Text(call.Input.ToolResponse.String("stdout")), maxOutput) // a cut could part a secret from its name
	return event, nil
}

func lines(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
}

func head(text string) string { return memory.Cut(text, maxText) }
