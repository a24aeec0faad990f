// Package sessionend records that a session ended. The agent does the rest: the client
// gives all SessionEnd hooks together 1.5 s.
package sessionend

import (
	"context"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
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
	Deadline: func(h config.Hooks) time.Duration { return h.SessionEnd.Deadline },
	Run:      run,
}

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	event, err := describe.New(call.Occurrence(), memory.EventSessionEnded)
	if err != nil {
		return hookio.Output{}, err
	}
	event.Reason = call.Input.Reason
	return hookio.Output{}, capture.Store(ctx, call, event)
}
