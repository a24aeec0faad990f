package hooks

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// PostCompact records the summary that a compaction made. It describes the session so far at no cost of a further model call.
var PostCompact = hook.Hook{
	Event: hookio.PostCompact,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		return hookio.Output{}, report(ctx, call, memory.EventCompacted, call.Input.Trigger,
			describe.CompactionSummary(call.Input.CompactSummary))
	},
}
