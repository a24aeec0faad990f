package hooks

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Stop records the assistant's last words. It never returns context, which would force another turn each time.
var Stop = hook.Hook{
	Event: hookio.Stop,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		err := report(ctx, call, memory.EventTurnEnded, "", call.Input.LastAssistantMessage)
		markIdle(call)
		return hookio.Output{}, err
	},
}
