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
	// statusTime limits how long a status waits for the counts of the store: even with a store that hangs it must be
	// answered within two seconds.
	statusTime = time.Second
	// countTime is how long a list of projects waits for counts. Counting 10,000 memories takes a tenth of a second,
	// and ten times as long on a busy machine.
	countTime = 2 * time.Second
	// mostCounting limits a count that continues after its caller has stopped waiting.
	mostCounting = 10 * time.Minute
	// After a count that took longer than longCount, the next one is made only after countPause times its duration.
	longCount  = time.Second
	countPause = 20
)

// counts caches the counts of projects, and under "" the counts of the whole store. Only one count is made at a time.
// It continues in the background if its caller stops waiting.
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

// of counts the keys, those never counted first, then the oldest counts. When all are counted or ctx ends, it returns
// all cached counts, including those of other keys. It stops at the first error and returns it.
func (c *counts) of(ctx context.Context, store memory.TotalsReader, keys ...string) (last map[string]counted, err error) {
	c.mu.Lock()
	if c.turn == nil {
		c.last, c.turn = map[string]counted{}, make(chan struct{}, 1)
	}
	c.mu.Unlock()
	select {
	case c.turn <- struct{}{}: // waits for the end of an earlier count
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

// oldestFirst returns the keys sorted by the time of their last count, without those whose last count was long and
// recent.
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
