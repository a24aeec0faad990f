// Package posttooluse records tool calls: changed files, the shell commands that install,
// build, test, deploy or migrate, all that are run while one is failing, the reports of
// subagents, the user's answers to the assistant's questions, accepted plans, and in a
// few words the calls of other tools.
package posttooluse

import (
	"context"
	"errors"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
)

// Hook records a tool call, if it is worth keeping.
var Hook = hook.Hook{
	Name:     "post-tool-use",
	Event:    hookio.PostToolUse,
	Deadline: hook.Capture,
	Run:      run,
}

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	occurrence := call.Occurrence()
	events, err := describe.Answers(occurrence)
	if err != nil {
		return hookio.Output{}, err
	}
	event, err := describe.ToolUse(occurrence, func(succeeded string) bool { return capture.Failing(call, succeeded) })
	if event.ID != "" {
		events = append(events, event)
	}
	return hookio.Output{}, errors.Join(err, capture.Store(ctx, call, events...))
}
