// Package stopfailure records the turns that an API error ended, to be counted.
package stopfailure

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hook records a failed turn.
var Hook = hook.Hook{
	Name:     "stop-failure",
	Event:    hookio.StopFailure,
	Deadline: hook.Capture,
	Run:      run,
}

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	capture.Idle(call)
	return hookio.Output{}, capture.Report(ctx, call, memory.EventTurnFailed, call.Input.Error, call.Input.Error)
}
