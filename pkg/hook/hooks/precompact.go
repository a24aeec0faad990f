package hooks

import (
	"context"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
)

// PreCompact records the last words of the conversation before the client compacts it; no other event has them by then.
var PreCompact = hook.Hook{
	Event:    hookio.PreCompact,
	Deadline: func(h config.Hooks) time.Duration { return 10 * h.Deadline },
	Run:      runPreCompact,
}

func runPreCompact(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	event := describe.New(call.Occurrence(), memory.EventCompacting)
	event.Source, event.Text = call.Input.Trigger, memory.Cut(describe.Text(lastWords(call.Input.TranscriptPath)), describe.MaxReport)
	return hookio.Output{}, store(ctx, call, event)
}

// lastWords returns the assistant's last text in a transcript.
func lastWords(transcript string) string {
	entry := client.LastLine(transcript, func(entry hookio.Value) bool {
		return entry.String("type") == "assistant" && wordsOf(entry) != ""
	}, `"assistant"`)
	return wordsOf(entry)
}

// wordsOf returns the text of a line of a transcript.
func wordsOf(entry hookio.Value) string {
	return strings.TrimSpace(entry.Get("message", "content").Message())
}
