package hooks

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Notification counts the client's notifications.
var Notification = hook.Hook{
	Event: hookio.Notification,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		return hookio.Output{}, report(ctx, call, memory.EventNotified, call.Input.NotificationType, call.Input.NotificationType)
	},
}
