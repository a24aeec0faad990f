package hooks

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// StopFailure counts the turns that an API error ended.
var StopFailure = hook.Hook{
	Event: hookio.StopFailure,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		markIdle(call)
		return hookio.Output{}, report(ctx, call, memory.EventTurnFailed, call.Input.Error, call.Input.Error)
	},
}
