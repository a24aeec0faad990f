package sessionend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The bounds of what is read: of a transcript its end, in bytes, and the refusals in it.
const (
	maxTranscript = 32 << 20
	maxRefusals   = 100
)

// putRefusals stores the words with which the user refused tool calls of the session. A
// session that ends again gives the same events.
func putRefusals(ctx context.Context, call *hook.Call) error {
	transcript, err := readEnd(call.Input.TranscriptPath)
	if err != nil {
		return fmt.Errorf("read the transcript: %w", err)
	}
	var failed []error
	for n, at := 0, 0; n < maxRefusals && ctx.Err() == nil; n++ {
		next := bytes.Index(transcript[at:], []byte(describe.ReasonFollows))
		if next < 0 {
			break
		}
		start, end := lineAround(transcript, at+next)
		if event, found := refusal(call, transcript[:start], transcript[start:end]); found {
			failed = append(failed, capture.Put(call, event))
		}
		at = end
	}
	return errors.Join(failed...)
}

// readEnd is the end of a file; one that is not there is empty.
func readEnd(file string) ([]byte, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) || file == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-maxTranscript), maxTranscript))
}

// lineAround is where the line begins and ends that an offset is in.
func lineAround(text []byte, at int) (start, end int) {
	start = bytes.LastIndexByte(text[:at], '\n') + 1
	if length := bytes.IndexByte(text[at:], '\n'); length >= 0 {
		return start, at + length
	}
	return start, len(text)
}

// refusal is the event of a line with the result of a refused call, which a line before it
// made. The transcript's format is internal to the client and changes: what is not
// understood is passed over.
func refusal(call *hook.Call, before, line []byte) (memory.Event, bool) {
	entry, err := hookio.ParseObject(line)
	if err != nil || entry.String("type") != "user" {
		return memory.Event{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, entry.String("timestamp"))
	if err != nil {
		return memory.Event{}, false
	}
	for _, result := range entry.List("message", "content") {
		if result.String("type") != "tool_result" || !result.Bool("is_error") {
			continue
		}
		o := call.Occurrence()
		o.At = at
		id := result.String("tool_use_id")
		o.Input.ToolName, o.Input.ToolInput = made(before, id)
		o.Input.Error = textOf(result.Get("content"))
		event, err := describe.Refusal(o)
		if err != nil || event.ID == "" {
			continue
		}
		event.ID = memory.NewImportID("transcript", event.Session, string(event.Kind), id)
		return event, true
	}
	return memory.Event{}, false
}

// made is the tool and the input of the call with an id.
func made(before []byte, id string) (tool string, input hookio.Value) {
	at := bytes.LastIndex(before, []byte(`"id":"`+id+`"`))
	if id == "" || at < 0 {
		return "", hookio.Value{}
	}
	start, end := lineAround(before, at)
	entry, err := hookio.ParseObject(before[start:end])
	if err != nil {
		return "", hookio.Value{}
	}
	for _, block := range entry.List("message", "content") {
		if block.String("type") == "tool_use" && block.String("id") == id {
			return block.String("name"), block.Get("input")
		}
	}
	return "", hookio.Value{}
}

// textOf is a content, which is a text or blocks of it.
func textOf(content hookio.Value) string {
	texts := []string{content.Text}
	for _, block := range content.Items {
		texts = append(texts, block.String("text"))
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}
