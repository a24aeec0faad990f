// Package hooks has a hook for each event of the client. The hooks share two parts: capturing puts an event into the
// spool and wakes the daemon (capture.go), and injecting asks the daemon for memories (inject.go). Only SessionStart
// and Setup wait for a daemon to start; the other hooks inject nothing while no daemon runs.
//
// All variables are initialised by the compiler, so that a program links only the code of its own event.
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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// Main runs a hook in this process and exits.
func Main(h hook.Hook) { hook.Main(h) }

// errNoSession is returned for an event without a session.
var errNoSession = errors.New("the input has no session_id, so nothing is captured")

// store puts events with an ID into the spool and wakes the daemon, or starts it. If the home cannot be written, events
// go to the fallback spool, where the daemon finds them later.
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

// wake notifies the daemon of new events in the spool, and starts it if it does not run. A daemon too busy to answer is
// not an error, because it also polls the spool.
func wake(ctx context.Context, call *hook.Call) error {
	err := call.Daemon().Wake(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return err
}

// isKept reports whether the event is stored, if only in a fallback spool, given the error that put returned.
func isKept(err error) bool {
	return !errors.Is(err, hook.ErrNotStored) && !errors.Is(err, errNoSession)
}

// put puts an event into the spool. If it can only use a fallback spool, it still returns an error, see isKept. It
// fails with errNoSession or hook.ErrNotStored if the event is not stored.
func put(call *hook.Call, e memory.Event) error {
	if e.Session == "" {
		return errNoSession
	}
	redactNames(&e)
	e.Held = call.Held
	err := spool.New(call.Paths.Spool()).Put(e)
	if err == nil {
		return nil
	}
	failed := []error{err}
	for _, dir := range call.Paths.FallbackSpools() {
		fallbackErr := spool.New(dir).Put(e)
		if fallbackErr == nil {
			notifyOfFallback(call, dir)
			return fmt.Errorf("the event could not be written to the spool, and waits in %s instead: %w", dir, errors.Join(failed...))
		}
		failed = append(failed, fallbackErr)
	}
	return fmt.Errorf("%w: %w", hook.ErrNotStored, errors.Join(failed...))
}

func redactNames(e *memory.Event) {
	for _, name := range []*string{&e.Source, &e.Reason, &e.Tool, &e.File} {
		*name = describe.Name(*name)
	}
	for i, file := range e.Files {
		e.Files[i] = describe.Name(file)
	}
}

// notifyLimit is the maximum time for notifying the daemon of a fallback spool.
const notifyLimit = 20 * time.Millisecond

// notifyOfFallback tells a running daemon which fallback spool has an event, because the daemon's environment may lead
// to other folders. A daemon that is started now inherits this program's environment.
func notifyOfFallback(call *hook.Call, dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), notifyLimit)
	defer cancel()
	_ = call.Daemon().Notify(ctx, daemonapi.MethodSpooled.Call(daemonapi.SpooledParams{Spool: dir}, nil)) // a daemon that misses this looks there at its next start
}

// report stores an event with a text and its subject. It stores nothing if redaction leaves no text.
func report(ctx context.Context, call *hook.Call, kind memory.EventKind, source, text string) error {
	return store(ctx, call, describe.Report(call.Occurrence(), kind, source, text))
}
