// Package hooks has the hook of each event of the client, one file an event, and their common parts: capturing, which puts an event
// into the spool and wakes the daemon (capture.go), and injecting, which asks the daemon for memories (inject.go). A hook waits for
// nobody: without a daemon that is ready it injects nothing.
//
// All variables are initialised by the compiler, so that a program links the code of its own event only.
package hooks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// errNoSession: an event belongs to a session.
var errNoSession = errors.New("the input has no session_id, so there is nothing to capture for")

// store puts events into the spool, but for those without an id, and wakes the daemon, starting it if it is
// not there. While the home cannot be written an event goes to the fallback
// spool, and the daemon finds it there later.
func store(ctx context.Context, call *hook.Call, events ...memory.Event) error {
	var failed error
	isStored := false
	for _, e := range events {
		if e.ID == "" {
			continue
		}
		err := put(call, e)
		isStored = isStored || isKept(err)
		failed = errors.Join(failed, err)
	}
	if isStored {
		failed = errors.Join(failed, wake(ctx, call))
	}
	return failed
}

// wake notifies the daemon of new events in the spool, and starts it if it does not run. A daemon that
// is too busy to listen is no error: it polls the spool by itself.
func wake(ctx context.Context, call *hook.Call) error {
	err := call.Daemon().Wake(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return err
}

// isKept reports from the error of put whether the event is in a spool: in the home's, or in a fallback.
func isKept(err error) bool {
	return !errors.Is(err, hook.ErrNotStored) && !errors.Is(err, errNoSession)
}

// put puts an event into the spool, or returns errNoSession.
func put(call *hook.Call, e memory.Event) error {
	if e.Session == "" {
		return errNoSession
	}
	redactNames(&e)
	err := spoolAt(call, call.Paths.Spool()).Put(e)
	if err == nil {
		return nil
	}
	failed := []error{err}
	for _, dir := range call.Paths.FallbackSpools() {
		fallbackErr := spoolAt(call, dir).Put(e)
		if fallbackErr == nil {
			notifyOfFallback(call, dir)
			return fmt.Errorf("event waits in %s: %w", dir, errors.Join(failed...))
		}
		failed = append(failed, fallbackErr)
	}
	return fmt.Errorf("%w: %w", hook.ErrNotStored, errors.Join(failed...))
}

func spoolAt(call *hook.Call, dir string) *spool.Spool {
	s := spool.New(dir)
	s.Unsynced = call.Config.Hooks.Durability == config.DurabilityProcess
	return s
}

// redactNames redacts the names in an event.
func redactNames(e *memory.Event) {
	for _, name := range []*string{&e.Source, &e.Reason, &e.Tool, &e.File} {
		*name = describe.Name(*name)
	}
	for i, file := range e.Files {
		e.Files[i] = describe.Name(file)
	}
}

// notifyLimit bounds the time that notifying the daemon of a fallback spool may take.
const notifyLimit = 20 * time.Millisecond

// notifyOfFallback notifies a running daemon of the spool in which an event waits: the daemon's own environment
// may name other folders. A daemon that is started now gets this program's environment.
func notifyOfFallback(call *hook.Call, dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), notifyLimit)
	defer cancel()
	client, err := daemonclient.Dial(ctx, call.Paths.Socket())
	if err != nil {
		return
	}
	defer func() { _ = client.Close() }()
	_ = client.Notify(ctx, daemonapi.MethodSpooled.Call(daemonapi.SpooledParams{Spool: dir}, nil)) // a daemon that misses this looks there after its next start
}

// report stores an event that consists of a text and its subject. A text with nothing
// left in it after redaction is not stored.
func report(ctx context.Context, call *hook.Call, kind memory.EventKind, source, text string) error {
	return store(ctx, call, describe.Report(call.Occurrence(), kind, source, text))
}
