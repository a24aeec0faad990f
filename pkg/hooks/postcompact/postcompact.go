// Package postcompact keeps the summary that a compaction made: it is the best there is of the
// session so far, and free.
package postcompact

import (
	"context"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hook records a compaction's summary.
var Hook = hook.Hook{
	Name:     "post-compact",
	Event:    hookio.PostCompact,
	Deadline: func(h config.Hooks) time.Duration { return h.PostCompact.Deadline },
	Run:      run,
}

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	return hookio.Output{}, capture.Report(ctx, call, memory.EventCompacted, call.Input.Trigger, Kept(call.Input.CompactSummary))
}

// Kept is what is kept of a compaction's summary.
func Kept(text string) string { return summary(capture.Text(text)) }

// summary is what stands between the summary tags, where there are any; what the
// model thought on the way to it is left out. The text is redacted before: what
// is private may have begun in front of the summary.
func summary(text string) string {
	_, after, found := strings.Cut(text, "<summary>")
	if !found {
		return text
	}
	inner, _, _ := strings.Cut(after, "</summary>")
	return inner
}
