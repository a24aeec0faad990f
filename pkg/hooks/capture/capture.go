// Package capture is what capturing hooks share: it makes an event of a hook's
// input, strips what is private, and puts it into the spool. It refuses to wait
// for anybody.
package capture

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/resident"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// ErrNoSession says that the input does not tell whose event it is.
var ErrNoSession = errors.New("the input has no session_id, so there is nothing to capture for")

// New makes an event of the call's session and project. The error is
// ErrNoSession; what is wrong with the project's repository is not an error.
func New(call *hook.Call, kind memory.EventKind) (memory.Event, project.Project, error) {
	if call.Input.SessionID == "" {
		return memory.Event{}, project.Project{}, ErrNoSession
	}
	now := call.Now()
	where := Project(call)
	return memory.Event{
		ID: memory.NewEventID(now), At: now.UTC(), Kind: kind,
		Session: call.Input.SessionID,
		Project: memory.Project{Key: where.Key, Name: where.Name, Root: where.Root},
		Dir:     where.Dir, Truncated: call.InputErr != nil || len(call.Input.CutFields) > 0,
	}, where, nil
}

// Project is the project the session was started in: CLAUDE_PROJECT_DIR, which
// stays while the session's directory follows cd, else the session's directory.
func Project(call *hook.Call) project.Project {
	dir := call.Getenv("CLAUDE_PROJECT_DIR")
	if dir == "" {
		dir = call.Input.CWD
	}
	where, _ := project.Identify(dir) // usable whatever the error
	return where
}

// Store puts an event into the spool and tells the agent, starting it if it is
// not there. While the home cannot be written the event goes to the fallback
// spool, and the agent finds it there later.
func Store(ctx context.Context, call *hook.Call, e memory.Event) error {
	err := Put(call, e)
	if errors.Is(err, errNotStored) {
		return err
	}
	return errors.Join(err, resident.Wake(ctx, call))
}

var errNotStored = errors.New("event is lost")

// Put is Store without telling the agent.
func Put(call *hook.Call, e memory.Event) error {
	err := spool.New(call.Paths.Spool()).Put(e)
	if err == nil {
		return nil
	}
	if fallbackErr := spool.New(call.Paths.FallbackSpool()).Put(e); fallbackErr != nil {
		return fmt.Errorf("%w: %w", errNotStored, errors.Join(err, fallbackErr))
	}
	return fmt.Errorf("event waits in %s: %w", call.Paths.FallbackSpool(), err)
}

// Text is what may be kept of a text: without what is private, without our own
// injected text, without secrets.
func Text(text string) string {
	clean, _ := redact.Text(text)
	return strings.TrimSpace(clean)
}
