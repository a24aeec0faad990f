// Package taskcompleted records the tasks that were completed.
package taskcompleted

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hook records a completed task.
var Hook = hook.Hook{
	Name:     "task-completed",
	Event:    hookio.TaskCompleted,
	Deadline: hook.Capture,
	Run:      run,
}

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	text := call.Input.TaskSubject
	if call.Input.TaskDescription != "" {
		text += ": " + call.Input.TaskDescription
	}
	return hookio.Output{}, capture.Report(ctx, call, memory.EventTaskCompleted, call.Input.TeammateName, text)
}
