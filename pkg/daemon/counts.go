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
	// statusTime limits how long a status waits for the store to be counted: even with a store that
	// hangs, the status must come within two seconds.
	statusTime = time.Second
	// countTime is how long a list of projects waits for counts. The time to count a project grows
	// with its memories: 10,000 take a tenth of a second, ten times that on a busy machine.
	countTime = 2 * time.Second
	// mostCounting limits a count that goes on after its caller has stopped waiting.
	mostCounting = 10 * time.Minute
	// After a count that took longer than longCount, the next one waits countPause times as long as it took.
	longCount  = time.Second
	countPause = 20
)

// counts holds the last counts of projects, and of the whole store under "". A caller need not wait for a new
// count: it goes on in the background for the next caller, and only one count runs at a time.
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

// of counts the keys, those never counted first, then those counted longest ago. When that is done or ctx ends, it returns all counts
// there are, also those of other keys. It returns the error of a count that fails; the remaining keys are not counted.
func (c *counts) of(ctx context.Context, store memory.TotalsReader, keys ...string) (last map[string]counted, err error) {
	c.mu.Lock()
	if c.turn == nil {
		c.last, c.turn = map[string]counted{}, make(chan struct{}, 1)
	}
	c.mu.Unlock()
	select {
	case c.turn <- struct{}{}: // after a count that began before has ended
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

// oldestFirst returns the keys, the oldest count first, without those whose last count was long and recent.
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
