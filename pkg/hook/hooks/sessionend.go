package hooks

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
)

// SessionEnd records the end of a session, and the words with which the user refused or approved tool calls: no other event
// of all clients has them. The daemon does the rest, because the client gives all SessionEnd hooks together 1.5 s.
var SessionEnd = hook.Hook{
	Event:    hookio.SessionEnd,
	Deadline: func(h config.Hooks) time.Duration { return 3 * h.Deadline },
	Run:      runSessionEnd,
}

func runSessionEnd(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	event := describe.New(call.Occurrence(), memory.EventSessionEnded)
	event.Reason, event.Transcript = call.Input.Reason, describe.Name(call.Input.TranscriptPath)
	err := put(call, event)
	deleteMarkers(call)
	return hookio.Output{}, errors.Join(err, putDialogs(ctx, call), wake(ctx, call))
}

// maxTranscript is the number of bytes that are read of a transcript's end; maxMatching is the maximum number of lines
// of interest that are parsed in it.
const (
	maxTranscript = 32 << 20
	maxMatching   = 200
)

// approvalText occurs in the transcript line of a result whose call the user approved.
const approvalText = `"permissionDecision":{"decision":"accept"`

// putDialogs stores the words that the user typed while refusing or approving calls, because no prompt has them. If a
// session ends again, its events have the same IDs.
func putDialogs(ctx context.Context, call *hook.Call) error {
	transcript, err := transcriptEnd(call.Input.TranscriptPath)
	if err != nil {
		return fmt.Errorf("read the transcript: %w", err)
	}
	return errors.Join(
		putMatching(ctx, call, transcript, describe.ReasonFollows, refusal),
		putMatching(ctx, call, transcript, approvalText, approval),
	)
}

// transcriptEnd returns the last maxTranscript bytes of a transcript. A missing file is empty, because the client writes it
// late. The format is internal to the client and changes.
func transcriptEnd(file string) ([]byte, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
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

// putMatching stores the events of the lines that contain wanted. eventOf also gets the text before the line; it returns an
// event without an ID if there is nothing to store.
func putMatching(
	ctx context.Context, call *hook.Call, transcript []byte, wanted string,
	eventOf func(o describe.Occurrence, before []byte, entry hookio.Value) memory.Event,
) error {
	var failed error
	for n, at := 0, 0; n < maxMatching && ctx.Err() == nil; n++ {
		next := bytes.Index(transcript[at:], []byte(wanted))
		if next < 0 {
			break
		}
		var start int
		start, at = lineAround(transcript, at+next)
		entry, err := hookio.ParseObject(transcript[start:at])
		if err != nil || entry.String("type") != "user" {
			continue // the format is internal to the client, so unknown lines are skipped
		}
		o := call.Occurrence()
		if o.At, err = time.Parse(time.RFC3339Nano, entry.String("timestamp")); err != nil {
			continue
		}
		if event := eventOf(o, transcript[:start], entry); event.ID != "" {
			failed = errors.Join(failed, put(call, event))
		}
	}
	return failed
}

// approval returns the prompt event of the text that the user added to a yes, the same event that an import makes.
func approval(o describe.Occurrence, _ []byte, entry hookio.Value) memory.Event {
	prompt := describe.Prompt(wordsOf(entry), o.Line)
	if prompt == "" {
		return memory.Event{}
	}
	event := describe.New(o, memory.EventPrompt)
	event.Prompt = prompt
	return lineOf(o, entry).Identified(event)
}

// lineOf identifies a line as an import of the transcript does.
func lineOf(o describe.Occurrence, entry hookio.Value) describe.Line {
	return describe.Line{ID: cmp.Or(entry.String("forkedFrom", "messageUuid"), entry.String("uuid")), At: o.At}
}

// lineAround returns the bounds of the line that contains an offset.
func lineAround(text []byte, at int) (start, end int) {
	start = bytes.LastIndexByte(text[:at], '\n') + 1
	if length := bytes.IndexByte(text[at:], '\n'); length >= 0 {
		return start, at + length
	}
	return start, len(text)
}

// refusal returns the event with the user's reason for refusing a call. The call itself is in an earlier line, in before.
func refusal(o describe.Occurrence, before []byte, entry hookio.Value) memory.Event {
	for _, result := range entry.List("message", "content") {
		if result.String("type") != "tool_result" || !result.Bool("is_error") {
			continue
		}
		id := result.String("tool_use_id")
		o.Input.ToolName, o.Input.ToolInput = callBefore(before, id)
		o.Input.Error = strings.TrimSpace(result.Get("content").Message())
		if event := describe.Refusal(o); event.ID != "" {
			return lineOf(o, entry).Identified(event, id)
		}
	}
	return memory.Event{}
}

// callBefore returns the tool and the input of the call with an ID.
func callBefore(before []byte, id string) (tool string, input hookio.Value) {
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

// wordsOf returns the text of a line of a transcript.
func wordsOf(entry hookio.Value) string {
	return strings.TrimSpace(entry.Get("message", "content").Message())
}
