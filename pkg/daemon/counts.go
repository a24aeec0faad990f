package daemon

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	// statusTime bounds how long counting the store may take for a status: also with a
	// store that hangs, the status must come within two seconds.
	statusTime = time.Second
	// countTime is how long a list of projects waits for counts. Counting a project costs as much as
	// it holds: 10,000 memories a tenth of a second, on a busy machine ten times that.
	countTime = 2 * time.Second
	// mostCounting bounds what goes on when nobody waits any more.
	mostCounting = 10 * time.Minute
	// A count that took longer than longCount is not repeated for countPause times as long.
	longCount  = time.Second
	countPause = 20
)

// counts are the last counts of projects, and of the whole store under "". There may be no time to wait for the next:
// counting goes on for whoever asks then, one of them at a time.
type counts struct {
	mu   sync.Mutex
	last map[string]counted
	turn chan struct{} // full while a count is under way
}

type counted struct {
	memory.Stats
	at   time.Time // when counting began
	took time.Duration
}

// of returns the counts of keys, and of others, as far as there are any when the context ends: first it counts the keys
// without a count, then those with the oldest. The error is that of a count, after which none of the rest was made.
func (c *counts) of(ctx context.Context, store memory.TotalsReader, keys ...string) (last map[string]counted, err error) {
	c.mu.Lock()
	if c.turn == nil {
		c.last, c.turn = map[string]counted{}, make(chan struct{}, 1)
	}
	c.mu.Unlock()
	select {
	case c.turn <- struct{}{}: // behind a count that began before
		done := make(chan error, 1)
		go func() {
			defer func() { <-c.turn }()
			done <- c.count(context.WithoutCancel(ctx), store, keys)
		}()
		select {
		case err = <-done:
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.last), err
}

func (c *counts) count(ctx context.Context, store memory.TotalsReader, keys []string) error {
	ctx, cancel := context.WithTimeout(ctx, mostCounting)
	defer cancel()
	for _, key := range c.oldestFirst(keys) {
		began := time.Now()
		totals, err := store.Totals(ctx, memory.Counts(key))
		if err != nil {
			return err
		}
		c.mu.Lock()
		c.last[key] = counted{totals.Stats, began, time.Since(began)}
		c.mu.Unlock()
	}
	return nil
}

// oldestFirst leaves out those that took long a short while ago.
func (c *counts) oldestFirst(keys []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys = slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
		last := c.last[key]
		return last.took > longCount && time.Since(last.at) < countPause*last.took
	})
	slices.SortStableFunc(keys, func(a, b string) int { return c.last[a].at.Compare(c.last[b].at) })
	return keys
}
