package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/latency"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/workload"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

const (
	// fillChunk is how many events wait in the spool at once. The CLI gives an
	// ingest 30 s, also on a busy machine.
	fillChunk = 500
	// spoolWriters put events at the same time, as hooks of several sessions do.
	spoolWriters = 8
)

// fill gives the store its memories, through the product's own write path, the spool and
// the running agent, unless they are to be written directly.
func (m *measurement) fill(ctx context.Context) (result latency.Fill, err error) {
	if m.options.direct {
		if result, err = m.fillOrReuse(ctx); err != nil {
			return result, err
		}
	}
	if err := m.startAgent(ctx); err != nil {
		return result, err
	}
	if !m.options.direct {
		events, err := m.past(workload.Spec{Store: m.options.store})
		if err != nil {
			return result, err
		}
		if result, err = m.fillBySpool(ctx, events); err != nil {
			return result, err
		}
	}
	result.Project = m.options.memories
	return m.checkFill(ctx, result)
}

// past is the events that a store is filled with, of as many memories and other projects
// as the spec says.
func (m *measurement) past(spec workload.Spec) (iter.Seq[memory.Event], error) {
	where, err := project.Identify(m.box.Project)
	if err != nil {
		return nil, err
	}
	spec.Seed, spec.Until, spec.Memories, spec.Known, spec.Stated, spec.Similar = m.options.seed, time.Now(), m.options.memories, known, m.options.stated, m.options.similar
	spec.Measured = memory.Project{Key: where.Key, Name: where.Name, Root: where.Root}
	return workload.Events(spec), nil
}

func (m *measurement) fillBySpool(ctx context.Context, events iter.Seq[memory.Event]) (latency.Fill, error) {
	var result latency.Fill
	for chunk := range chunks(events, fillChunk) {
		began := time.Now()
		if err := put(m.home.Spool(), chunk); err != nil {
			return result, err
		}
		spooled := time.Now()
		if _, err := m.home.Memory(ctx, "agent", "ingest"); err != nil {
			return result, fmt.Errorf("fill the store: %w", err)
		}
		result.Events += len(chunk)
		result.SpoolSeconds += spooled.Sub(began).Seconds()
		result.IngestSeconds += time.Since(spooled).Seconds()
		m.say("filling the store: %d events, %.0f/s", result.Events, result.PerSecond())
	}
	return result, nil
}

// checkFill makes sure that the store holds the rows it was filled with. The agent may
// have made some more memories by itself, such as a failure's fix.
func (m *measurement) checkFill(ctx context.Context, result latency.Fill) (latency.Fill, error) {
	status, err := m.home.Counted(ctx)
	if err != nil {
		return result, err
	}
	if status.Store == nil {
		return result, fmt.Errorf("the filled store cannot be counted: %s", status.Reason)
	}
	result.Store = status.Store.Memories
	size, err := sizeOf(paths.Layout{Home: m.home.Dir}.Data())
	if err != nil {
		return result, err
	}
	result.DiskMB = int(size >> 20)
	if result.Store < m.options.store || status.Spool.Dead > 0 {
		return result, fmt.Errorf("the store has %d memories and the spool %d dead letters, want at least %d and none",
			result.Store, status.Spool.Dead, m.options.store)
	}
	return result, nil
}

func put(to *spool.Spool, events []memory.Event) error {
	errs := make([]error, spoolWriters)
	var writers sync.WaitGroup
	for w := range spoolWriters {
		writers.Go(func() {
			for i := w; i < len(events) && errs[w] == nil; i += spoolWriters {
				errs[w] = to.Put(events[i])
			}
		})
	}
	writers.Wait()
	return errors.Join(errs...)
}

// chunks yields the values in slices of at most size.
func chunks[T any](values iter.Seq[T], size int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		var chunk []T
		for v := range values {
			chunk = append(chunk, v)
			if len(chunk) == size {
				if !yield(chunk) {
					return
				}
				chunk = nil
			}
		}
		if len(chunk) > 0 {
			yield(chunk)
		}
	}
}
