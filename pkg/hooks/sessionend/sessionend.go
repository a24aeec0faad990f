// Package sessionend records that a session ended, and the words with which its user
// refused and approved tool calls: no other event that every client knows has them. The agent does the
// rest: the client gives all SessionEnd hooks together 1.5 s.
package sessionend

import (
	"context"
	"errors"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hook records the end of a session.
var Hook = hook.Hook{
	Name:     "session-end",
	Event:    hookio.SessionEnd,
	Deadline: hook.Captures(3),
	Run:      run,
}

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	event, err := describe.New(call.Occurrence(), memory.EventSessionEnded)
	if err != nil {
		return hookio.Output{}, err
	}
	event.Reason = call.Input.Reason
	err = capture.Put(call, event)
	capture.Forget(call)
	return hookio.Output{}, errors.Join(err, putDialogs(ctx, call), capture.Wake(ctx, call))
}
