package hooks

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// PreCompact records that a compaction begins: what was said before it is in the context no longer.
var PreCompact = hook.Hook{
	Event: hookio.PreCompact,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		event := describe.New(call.Occurrence(), memory.EventCompacting)
		event.Source = call.Input.Trigger
		return hookio.Output{}, store(ctx, call, event)
	},
}
