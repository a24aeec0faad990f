// Package posttoolusefailure keeps what failed and how, and puts before the
// model what made it work before, so that it need not be found out twice.
package posttoolusefailure

import (
	"context"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/inject"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hook records shell commands that failed, and recalls their fix. (A failing command never reaches
// PostToolUse.)
var Hook = hook.Hook{
	Name:     "post-tool-use-failure",
	Event:    hookio.PostToolUseFailure,
	Deadline: func(h config.Hooks) time.Duration { return h.PostToolUseFailure.Deadline },
	Run:      run,
}

// maxError is what is kept of an error text, in bytes.
const maxError = 4000

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	event, err := Describe(call)
	if err != nil || event.ID == "" {
		return hookio.Output{}, err
	}
	capture.MarkFailing(call, call.Input.ToolInput.String("command"))
	return inject.RecallAndStore(ctx, call, agentapi.RecallParams{
		Purpose: agentapi.ForFailure, Command: memory.CommandKey(event.Command), Text: event.Error,
		TokenBudget: call.Config.Hooks.PostToolUseFailure.TokenBudget,
	}, event)
}

// Describe makes the event of a tool that failed; one without an id is not worth
// remembering. The error is capture.ErrNoSession.
func Describe(call *hook.Call) (memory.Event, error) {
	command := call.Input.ToolInput.String("command")
	// An interrupted command did not fail: the user stopped it.
	if call.Input.ToolName != "Bash" || command == "" || call.Input.IsInterrupt {
		return memory.Event{}, nil
	}
	event, err := capture.New(call, memory.EventCommandFailed)
	if err != nil {
		return memory.Event{}, err
	}
	event.Tool = call.Input.ToolName
	event.Command = capture.Text(command)
	event.Purpose = capture.Purpose(command)
	event.Error = memory.Cut(capture.Text(call.Input.Error), maxError)
	return event, nil
}
