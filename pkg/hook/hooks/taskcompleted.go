package hooks

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// TaskCompleted records a completed task.
var TaskCompleted = hook.Hook{
	Event: hookio.TaskCompleted,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		text := call.Input.TaskSubject
		if call.Input.TaskDescription != "" {
			text += ": " + call.Input.TaskDescription
		}
		return hookio.Output{}, report(ctx, call, memory.EventTaskCompleted, call.Input.TeammateName, text)
	},
}
