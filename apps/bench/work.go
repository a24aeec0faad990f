package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/workload"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

const sessionEnd = "SessionEnd"

// startWork has events of other sessions come in until the returned function is called:
// each is spooled and the agent told of it, as hooks do. It does nothing at rest.
func (m *measurement) startWork(ctx context.Context) (stop func() error, err error) {
	if m.options.work == 0 {
		return func() error { return nil }, nil
	}
	client, err := agentclient.Dial(ctx, paths.Layout{Home: m.home.Dir}.Socket())
	if err != nil {
		return nil, fmt.Errorf("start the work: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- m.work(ctx, client) }()
	return func() error {
		cancel()
		return errors.Join(<-done, client.Close())
	}, nil
}

func (m *measurement) work(ctx context.Context, client *agentclient.Client) error {
	ticker := time.NewTicker(time.Second / time.Duration(m.options.work))
	defer ticker.Stop()
	events := workload.Events(workload.Spec{
		Seed: m.options.seed + 1, Until: time.Now(), Memories: 1, Store: 1_000_000,
		Measured: memory.Project{Key: "github.com/example/at-work", Name: "at-work", Root: "/home/dev/at-work"},
	})
	to := m.home.Spool()
	for e := range events {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		e.At = time.Now().UTC()
		e.ID = memory.NewEventID(e.At)
		if err := to.Put(e); err != nil {
			return fmt.Errorf("the work: %w", err)
		}
		err := client.Call(ctx, agentapi.MethodSpooled.Call(agentapi.SpooledParams{}, nil))
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("the work: %w", err)
		}
	}
	return nil
}

// rest waits until the agent has finished its work, unless it is measured under work.
func (m *measurement) rest(ctx context.Context) error {
	if m.options.work > 0 {
		return nil
	}
	return errors.Join(m.home.Settle(ctx), m.home.Rest(ctx))
}

// nextStart is a start of a session straight after the end of another.
func (m *measurement) nextStart() (*series, error) {
	for _, p := range m.programs {
		if p.Event == sessionStart {
			return &series{program: p, isNext: true}, nil
		}
	}
	return nil, fmt.Errorf("hooks.json registers no program for %s", sessionStart)
}

// endBefore ends the session before a series of starts after an end.
func (m *measurement) endBefore(ctx context.Context, s *series, session string) error {
	if !s.isNext {
		return nil
	}
	for _, p := range m.programs {
		if p.Event != sessionEnd {
			continue
		}
		call, err := m.call(&series{program: p}, session)
		if err != nil {
			return err
		}
		_, err = m.home.Run(ctx, call)
		return err
	}
	return fmt.Errorf("hooks.json registers no program for %s", sessionEnd)
}
