package daemon

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	// countTime is how long a list waits for counts. Counting a project costs as much as
	// it holds: 10,000 memories a tenth of a second, on a busy machine ten times that.
	countTime = 2 * time.Second
	// mostCounting bounds the count of all projects.
	mostCounting = 10 * time.Minute
)

// projectCounts are the last counts of projects.
type projectCounts struct {
	mu   sync.Mutex
	last map[string]projectCount
	turn chan struct{} // full while a count is under way
}

// holder counts the rows of a project.
type holder interface {
	Stats(ctx context.Context, project string) (memory.Stats, error)
}

type projectCount struct {
	holding memory.Holding
	at      time.Time
}

// fill counts the rows of the projects, one project after the other: first those without a
// count, then those with the oldest. When the time is up the others keep their last count,
// or none; counting goes on for the next list. Only one count runs at a time.
func (c *projectCounts) fill(ctx context.Context, store holder, projects []memory.ProjectHolding) error {
	waiting, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	c.mu.Lock()
	if c.turn == nil {
		c.last, c.turn = map[string]projectCount{}, make(chan struct{}, 1)
	}
	c.mu.Unlock()
	select {
	case c.turn <- struct{}{}: // behind a count that began before
		done, keys := make(chan struct{}), c.oldestFirst(projects)
		go func() {
			defer close(done)
			defer func() { <-c.turn }()
			c.count(context.WithoutCancel(ctx), store, keys)
		}()
		select {
		case <-done:
		case <-waiting.Done(): // the counts until then are used
		}
	case <-waiting.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range projects {
		last := c.last[projects[i].Key]
		projects[i].Holding, projects[i].CountedAt = last.holding, last.at
	}
	return ctx.Err()
}

// oldestFirst are the keys of projects.
func (c *projectCounts) oldestFirst(projects []memory.ProjectHolding) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := make([]string, len(projects))
	for i, one := range projects {
		keys[i] = one.Key
	}
	slices.SortStableFunc(keys, func(a, b string) int { return c.last[a].at.Compare(c.last[b].at) })
	return keys
}

// count ends at the first project that cannot be counted, as when the store is closed.
func (c *projectCounts) count(ctx context.Context, store holder, keys []string) {
	ctx, cancel := context.WithTimeout(ctx, mostCounting)
	defer cancel()
	for _, key := range keys {
		began := time.Now()
		stats, err := store.Stats(ctx, key)
		if err != nil {
			return
		}
		c.mu.Lock()
		c.last[key] = projectCount{stats.Holding(), began}
		c.mu.Unlock()
	}
}
