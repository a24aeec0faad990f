// Package postcompact keeps the summary that a compaction made: a summary of the session so
// far that costs no further model call.
package postcompact

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hook records a compaction's summary.
var Hook = hook.Hook{
	Name:     "post-compact",
	Event:    hookio.PostCompact,
	Deadline: hook.Capture,
	Run:      run,
}

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	return hookio.Output{}, capture.Report(ctx, call, memory.EventCompacted, call.Input.Trigger, describe.CompactionSummary(call.Input.CompactSummary))
}
