// Package capture is what capturing hooks share: it makes an event of a hook's
// input, strips what is private, and puts it into the spool. It refuses to wait
// for anybody.
package capture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// ErrNoSession says that the input does not tell whose event it is.
var ErrNoSession = errors.New("the input has no session_id, so there is nothing to capture for")

// New makes an event of the call's session and project. The error is
// ErrNoSession.
func New(call *hook.Call, kind memory.EventKind) (memory.Event, error) {
	if call.Input.SessionID == "" {
		return memory.Event{}, ErrNoSession
	}
	now := call.Now()
	where := call.Project
	return memory.Event{
		ID: memory.NewEventID(now), At: now.UTC(), Kind: kind,
		Session: call.Input.SessionID,
		Project: memory.Project{Key: where.Key, Name: redacted(where.Name), Root: redacted(where.Root)},
		Dir:     redacted(where.Dir), Truncated: call.InputErr != nil || len(call.Input.CutFields) > 0,
	}, nil
}

// Store puts an event into the spool and tells the agent, starting it if it is
// not there. While the home cannot be written the event goes to the fallback
// spool, and the agent finds it there later.
func Store(ctx context.Context, call *hook.Call, e memory.Event) error {
	err := Put(call, e)
	if errors.Is(err, errNotStored) {
		return err
	}
	return errors.Join(err, Wake(ctx, call))
}

// Wake tells the agent that the spool has something, starting it if it is not
// there. That it is too busy to listen is no error: it looks there by itself.
func Wake(ctx context.Context, call *hook.Call) error {
	err := call.Agent().Wake(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return err
}

var errNotStored = errors.New("event is lost")

// Put is Store without telling the agent.
func Put(call *hook.Call, e memory.Event) error {
	named(&e)
	err := spool.New(call.Paths.Spool()).Put(e)
	if err == nil {
		return nil
	}
	failed := []error{err}
	for _, dir := range call.Paths.FallbackSpools() {
		fallbackErr := spool.New(dir).Put(e)
		if fallbackErr == nil {
			tell(call, dir)
			return fmt.Errorf("event waits in %s: %w", dir, errors.Join(failed...))
		}
		failed = append(failed, fallbackErr)
	}
	return fmt.Errorf("%w: %w", errNotStored, errors.Join(failed...))
}

// named redacts the names in an event. A path, a tool's name or a reason is text
// too: who may choose it can put a secret, or our own tags, into it.
func named(e *memory.Event) {
	for _, name := range []*string{&e.Source, &e.Reason, &e.Tool, &e.File, &e.Purpose} {
		*name = redacted(*name)
	}
	for i, file := range e.Files {
		e.Files[i] = redacted(file)
	}
}

func redacted(name string) string {
	clean, _ := redact.Text(name)
	return clean
}

// tellLimit bounds what telling of a fallback spool may take.
const tellLimit = 20 * time.Millisecond

// tell tells an agent that is there where an event waits: its own environment may
// name other folders. One that is not there gets this program's environment.
func tell(call *hook.Call, dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), tellLimit)
	defer cancel()
	client, err := agentapi.Dial(ctx, call.Paths.Socket())
	if err != nil {
		return
	}
	defer func() { _ = client.Close() }()
	_ = client.Notify(ctx, agentapi.MethodSpooled, agentapi.SpooledParams{Spool: dir}) // an agent that does not hear it looks there after its next start
}

// Text is what may be kept of a text: without what is private, without our own
// injected text, without secrets.
func Text(text string) string {
	clean, _ := redact.Text(text)
	return strings.TrimSpace(clean)
}

// MaxReport is what is kept of a report, in bytes: its beginning.
const MaxReport = 8000

// Report stores an event that is a text and what it is of. A text with nothing
// left in it after redaction is not stored.
func Report(ctx context.Context, call *hook.Call, kind memory.EventKind, source, text string) error {
	event, err := Reported(call, kind, source, text)
	if err != nil || event.ID == "" {
		return err
	}
	return Store(ctx, call, event)
}

// maxTask is what is kept of what a subagent was asked, in bytes.
const maxTask = 2000

// SubagentReported makes the event of what a subagent found out, with what it had
// been asked.
func SubagentReported(call *hook.Call, agent, task, text string) (memory.Event, error) {
	event, err := Reported(call, memory.EventSubagentReported, agent, text)
	if err == nil && event.ID != "" {
		event.Prompt = memory.Cut(Text(task), maxTask)
	}
	return event, err
}

// Reported makes the event that Report stores; one without an id is not worth
// it. The error is ErrNoSession.
func Reported(call *hook.Call, kind memory.EventKind, source, text string) (memory.Event, error) {
	text = memory.Cut(Text(text), MaxReport)
	if text == "" {
		return memory.Event{}, nil
	}
	event, err := New(call, kind)
	if err != nil {
		return memory.Event{}, err
	}
	event.Source, event.Text = Text(source), text
	return event, nil
}
