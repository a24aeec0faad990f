// Package capture has the common part of capturing hooks: it puts an event into the spool
// and wakes the agent. It refuses to wait for anybody.
package capture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// Store puts events into the spool and tells the agent, starting it if it is
// not there. While the home cannot be written an event goes to the fallback
// spool, and the agent finds it there later.
func Store(ctx context.Context, call *hook.Call, events ...memory.Event) error {
	var failed error
	isStored := false
	for _, e := range events {
		err := Put(call, e)
		isStored = isStored || IsKept(err)
		failed = errors.Join(failed, err)
	}
	if isStored {
		failed = errors.Join(failed, Wake(ctx, call))
	}
	return failed
}

// Wake tells the agent that the spool has something, starting it if it is not there. An
// agent that is too busy to listen is no error: it polls the spool by itself.
func Wake(ctx context.Context, call *hook.Call) error {
	err := call.Agent().Wake(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return err
}

var errNotStored = errors.New("event is lost")

// IsKept tells from the error of Put whether the event is in a spool: in the home's, or in a fallback.
func IsKept(err error) bool { return !errors.Is(err, errNotStored) }

// Put is Store without telling the agent.
func Put(call *hook.Call, e memory.Event) error {
	named(&e)
	err := to(call, call.Paths.Spool()).Put(e)
	if err == nil {
		return nil
	}
	failed := []error{err}
	for _, dir := range call.Paths.FallbackSpools() {
		fallbackErr := to(call, dir).Put(e)
		if fallbackErr == nil {
			tell(call, dir)
			return fmt.Errorf("event waits in %s: %w", dir, errors.Join(failed...))
		}
		failed = append(failed, fallbackErr)
	}
	return fmt.Errorf("%w: %w", errNotStored, errors.Join(failed...))
}

func to(call *hook.Call, dir string) *spool.Spool {
	s := spool.New(dir)
	s.Unsynced = call.Config.Hooks.Durability == config.DurabilityProcess
	return s
}

// named redacts the names in an event.
func named(e *memory.Event) {
	for _, name := range []*string{&e.Source, &e.Reason, &e.Tool, &e.File, &e.Purpose} {
		*name = describe.Name(*name)
	}
	for i, file := range e.Files {
		e.Files[i] = describe.Name(file)
	}
}

// tellLimit bounds the time that telling the agent of a fallback spool may take.
const tellLimit = 20 * time.Millisecond

// tell tells a running agent in which spool an event waits: the agent's own environment
// may name other folders. An agent that is started now gets this program's environment
// and needs no telling.
func tell(call *hook.Call, dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), tellLimit)
	defer cancel()
	client, err := agentclient.Dial(ctx, call.Paths.Socket())
	if err != nil {
		return
	}
	defer func() { _ = client.Close() }()
	_ = client.Notify(ctx, agentapi.MethodSpooled.Call(agentapi.SpooledParams{Spool: dir}, nil)) // an agent that misses this looks there after its next start
}

// Report stores an event that consists of a text and its subject. A text with nothing
// left in it after redaction is not stored.
func Report(ctx context.Context, call *hook.Call, kind memory.EventKind, source, text string) error {
	event, err := describe.Report(call.Occurrence(), kind, source, text)
	if err != nil || event.ID == "" {
		return err
	}
	return Store(ctx, call, event)
}
