// Package posttooluse keeps what tools did: files changed, the shell commands
// that install, build, test, deploy or migrate, all that are run while one is failing,
// what subagents reported, what the user answered when the assistant asked, plans that
// were accepted, and in a few words what other tools did.
package posttooluse

import (
	"context"
	"errors"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
)

// Hook records what a tool did, if that is worth keeping.
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
