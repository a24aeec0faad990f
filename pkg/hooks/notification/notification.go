// Package notification records that the client notified the user, to be counted.
package notification

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hook records a notification.
var Hook = hook.Hook{
	Name:     "notification",
	Event:    hookio.Notification,
	Deadline: hook.Capture,
	Run:      run,
}

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	return hookio.Output{}, capture.Report(ctx, call, memory.EventNotified, call.Input.NotificationType, call.Input.NotificationType)
}
