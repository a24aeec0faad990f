package hooks

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
)

// SessionEnd records the end of a session, and the words with which the user refused or approved tool calls, which not
// every client sends with another event. The daemon does the rest, because the client gives all SessionEnd hooks together
// 1.5 s.
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
	transcript, err := client.End(call.Input.TranscriptPath, maxTranscript)
	if errors.Is(err, fs.ErrNotExist) { // the client writes it late
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the transcript: %w", err)
	}
	return errors.Join(
		putMatching(ctx, call, transcript, describe.ReasonFollows, refusal),
		putMatching(ctx, call, transcript, approvalText, approval),
	)
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
		start := bytes.LastIndexByte(transcript[:at+next], '\n') + 1
		line, _, _ := bytes.Cut(transcript[start:], []byte("\n"))
		at = start + len(line)
		entry, err := hookio.ParseObject(line)
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
	prompt := describe.Prompt(entry.Get("message", "content").Message(), o.Line)
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

// refusal returns the event with the user's reason for refusing a call. The call itself is in an earlier line, in before.
func refusal(o describe.Occurrence, before []byte, entry hookio.Value) memory.Event {
	for _, result := range entry.List("message", "content") {
		if result.String("type") != "tool_result" || !result.Bool("is_error") {
			continue
		}
		id := result.String("tool_use_id")
		asked := callBefore(before, id)
		o.Input.ToolName, o.Input.ToolInput = asked.String("name"), asked.Get("input")
		o.Input.Error = strings.TrimSpace(result.Get("content").Message())
		if event := describe.Refusal(o); event.ID != "" {
			return lineOf(o, entry).Identified(event, id)
		}
	}
	return memory.Event{}
}

// callBefore returns the call with an ID.
func callBefore(before []byte, id string) (call hookio.Value) {
	client.LastLineIn(before, func(entry hookio.Value) bool {
		for _, block := range entry.List("message", "content") {
			if block.String("type") == "tool_use" && block.String("id") == id {
				call = block
			}
		}
		return call.Kind != hookio.Missing
	}, `"id":"`+id+`"`)
	return call
}
