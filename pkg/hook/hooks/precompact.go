package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
)

// PreCompact records the last words of the conversation before the client compacts it; no other event has them by then.
var PreCompact = hook.Hook{
	Name:     "pre-compact",
	Event:    hookio.PreCompact,
	Deadline: func(h config.Hooks) time.Duration { return 10 * h.Deadline },
	Run:      runPreCompact,
}

// maxTail is the number of bytes that are read of a transcript's end.
const maxTail = 512 << 10

func runPreCompact(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	words, err := lastWords(call.Input.TranscriptPath)
	event := describe.New(call.Occurrence(), memory.EventCompacting)
	event.Source, event.Text = call.Input.Trigger, memory.Cut(describe.Text(words), describe.MaxReport)
	return hookio.Output{}, errors.Join(err, store(ctx, call, event))
}

// lastWords returns the assistant's last text in a transcript. It skips lines that cannot be parsed.
func lastWords(transcript string) (string, error) {
	tail, err := transcriptEnd(transcript, maxTail)
	if err != nil {
		return "", fmt.Errorf("read the transcript: %w", err)
	}
	lines := bytes.Split(tail, []byte("\n"))
	for _, line := range slices.Backward(lines) {
		if text := assistantText(line); text != "" {
			return text, nil
		}
	}
	return "", nil
}

func assistantText(line []byte) string {
	if !bytes.Contains(line, []byte(`"assistant"`)) {
		return ""
	}
	entry, err := hookio.ParseObject(line)
	if err != nil || entry.String("type") != "assistant" {
		return ""
	}
	return textOf(entry.Get("message", "content"))
}
