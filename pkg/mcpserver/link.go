package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

const (
	// callTime limits one request to the daemon, including the start of daemon and engine.
	callTime = 20 * time.Second
	// storeTime limits a request about an event that is already in the spool.
	storeTime = 5 * time.Second
	// dialPause is the time between attempts to connect to a starting daemon.
	dialPause = 10 * time.Millisecond
)

// callWithin sends the daemon one request. It starts the daemon if it does not run. Each call has its own connection, so that
// calls do not wait for each other.
func (t *tools) callWithin(ctx context.Context, limit time.Duration, call daemonapi.Call) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client, err := t.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return client.Call(ctx, call)
}

func (t *tools) dial(ctx context.Context) (*daemonclient.Client, error) {
	socket := t.Daemon.Paths.Socket()
	client, err := daemonclient.Dial(ctx, socket)
	for errors.Is(err, daemonclient.ErrNoDaemon) {
		if startErr := t.Daemon.Start(); startErr != nil { // starts at most one process in three seconds
			return nil, memory.Mark(startErr, memory.ErrUnavailable)
		}
		pause := time.NewTimer(dialPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return nil, memory.Mark(fmt.Errorf("the daemon does not start: see its log, %s", t.Daemon.Paths.DaemonLog()), memory.ErrUnavailable)
		}
		client, err = daemonclient.Dial(ctx, socket)
	}
	return client, err
}

// unreachable reports whether the same call may succeed later.
func unreachable(err error) bool {
	return errors.Is(err, memory.ErrUnavailable) || errors.Is(err, daemonclient.ErrNoDaemon) ||
		errors.Is(err, context.DeadlineExceeded)
}

// explain returns an error with the remedy for a model.
func explain(err error) error {
	reason := err
	var answer *daemonapi.Error
	if errors.As(err, &answer) {
		reason = errors.New(answer.Message)
	}
	switch {
	case err == nil:
		return nil
	case unreachable(err):
		return fmt.Errorf("the memory cannot be reached now, and nothing was changed: %w. Try again later; the user sees the state with ! memory status", reason)
	case errors.Is(err, memory.ErrNotFound):
		text := strings.TrimSuffix(reason.Error(), ": "+memory.ErrNotFound.Error())
		return fmt.Errorf("%s. Use ids that search_memories or recall_memories return for this project", text)
	}
	return reason
}
