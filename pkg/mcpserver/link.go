package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	// callTime bounds one request to the agent, including the start of agent and
	// engine.
	callTime = 20 * time.Second
	// storeTime bounds a request about an event that is in the spool already.
	storeTime = 5 * time.Second
	// dialPause is the pause between attempts to connect to an agent that was just
	// started.
	dialPause = 10 * time.Millisecond
)

// link connects tools to the agent. Each call has a connection of its own, so that
// calls do not wait for each other.
type link struct{ agentclient.Agent }

// callWithin sends the agent one request, starting the agent if it is not running.
func (l link) callWithin(ctx context.Context, limit time.Duration, call agentapi.Call) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client, err := l.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return client.Call(ctx, call)
}

func (l link) dial(ctx context.Context) (*agentclient.Client, error) {
	socket := l.Paths.Socket()
	client, err := agentclient.Dial(ctx, socket)
	for errors.Is(err, agentclient.ErrNoAgent) {
		if startErr := l.Start(); startErr != nil { // at most one process in three seconds
			return nil, fmt.Errorf("%w: %w", memory.ErrUnavailable, startErr)
		}
		pause := time.NewTimer(dialPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return nil, fmt.Errorf("%w: the agent does not start; its log is %s", memory.ErrUnavailable, l.Paths.AgentLog())
		}
		client, err = agentclient.Dial(ctx, socket)
	}
	return client, err
}

// unreachable reports whether the same call may work later.
func unreachable(err error) bool {
	return errors.Is(err, memory.ErrUnavailable) || errors.Is(err, agentclient.ErrNoAgent) ||
		errors.Is(err, context.DeadlineExceeded)
}

// explain adds the remedy of an error for a model.
func explain(err error) error {
	reason := err
	var answer *agentapi.Error
	if errors.As(err, &answer) {
		reason = errors.New(answer.Message)
	}
	switch {
	case err == nil:
		return nil
	case unreachable(err):
		return fmt.Errorf("the memory cannot be reached now, and nothing was changed: %w. Try again in a while; memory_status tells how it is", reason)
	case errors.Is(err, memory.ErrNotFound):
		return fmt.Errorf("%w. Ids are those that search_memories and recall_memories return for this project", reason)
	}
	return reason
}
