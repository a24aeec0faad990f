// Package precompact takes a snapshot before the client compacts a session: the last
// words of the conversation, which nothing else holds by then. Questions, edits and
// decisions are in the store already.
package precompact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hook records the snapshot.
var Hook = hook.Hook{
	Name:     "pre-compact",
	Event:    hookio.PreCompact,
	Deadline: hook.Captures(10),
	Run:      run,
}

// maxTail is how much of a transcript's end is looked at, in bytes.
const maxTail = 512 << 10

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	words, err := lastWords(call.Input.TranscriptPath)
	event, newErr := describe.New(call.Occurrence(), memory.EventCompacting)
	if newErr != nil {
		return hookio.Output{}, newErr
	}
	event.Source, event.Text = call.Input.Trigger, memory.Cut(describe.Text(words), describe.MaxReport)
	return hookio.Output{}, errors.Join(err, capture.Store(ctx, call, event))
}

// lastWords is the last text of the assistant in a transcript. The transcript's format
// is internal to the client and changes, so lines that cannot be parsed are skipped.
func lastWords(transcript string) (string, error) {
	tail, err := readTail(transcript)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil // the client writes it late
	}
	if err != nil {
		return "", fmt.Errorf("read the transcript: %w", err)
	}
	lines := bytes.Split(tail, []byte("\n"))
	for i := len(lines) - 1; i >= 0; i-- {
		if text := assistantText(lines[i]); text != "" {
			return text, nil
		}
	}
	return "", nil
}

func readTail(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	start := max(0, info.Size()-maxTail)
	return io.ReadAll(io.NewSectionReader(f, start, maxTail))
}

func assistantText(line []byte) string {
	if !bytes.Contains(line, []byte(`"assistant"`)) {
		return ""
	}
	entry, err := hookio.ParseObject(line)
	if err != nil || entry.String("type") != "assistant" {
		return ""
	}
	var texts []string
	for _, block := range entry.List("message", "content") {
		if block.String("type") == "text" {
			texts = append(texts, block.String("text"))
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}
