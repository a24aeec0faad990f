// Package agentclient connects a program of the plugin to the resident agent: it sends
// requests and notifications, and finds, starts, replaces and ends the agent. It does
// not wait for the agent to become ready; callers that may wait do so themselves.
package agentclient

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
)

const (
	// wakeLimit bounds the time that a capture hook spends on a busy agent: the event is
	// safe in the spool already, and the agent looks there by itself.
	wakeLimit = 20 * time.Millisecond
)

// Wake tells the agent that the spool has something, or starts it.
func (a Agent) Wake(ctx context.Context) error {
	// Without a socket there is no agent to wait for, however slow the machine is.
	if _, err := os.Stat(a.Paths.Socket()); errors.Is(err, os.ErrNotExist) {
		return a.Start()
	}
	if err := a.Revive(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, wakeLimit)
	defer cancel()
	client, err := Dial(ctx, a.Paths.Socket())
	if errors.Is(err, ErrNoAgent) {
		return a.Start()
	}
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return client.Notify(ctx, agentapi.MethodSpooled.Call(agentapi.SpooledParams{}, nil))
}

// Greet is Wake, and tells the agent which program is calling, so that a newer plugin's
// agent can take over.
func (a Agent) Greet(ctx context.Context) error {
	client, err := Dial(ctx, a.Paths.Socket())
	if errors.Is(err, ErrNoAgent) {
		return a.Start()
	}
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	if err := a.Meet(ctx, client, ""); errors.Is(err, ErrOutdated) {
		return a.Replace(ctx)
	} else if err != nil {
		return err
	}
	return client.Notify(ctx, agentapi.MethodSpooled.Call(agentapi.SpooledParams{}, nil))
}
