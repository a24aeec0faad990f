package projects

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

// counts are the last counts of projects.
type counts struct {
	mu   sync.Mutex
	last map[string]counted
	done chan struct{} // of the count that is under way; nil if there is none
}

// holder counts the rows of a project.
type holder interface {
	Stats(ctx context.Context, project string) (memory.Stats, error)
}

type counted struct {
	holding memory.Holding
	at      time.Time
}

// fill counts the rows of the projects, one project after the other: first those without a
// count, then those with the oldest. When the time is up the others keep their last count,
// or none; counting goes on for the next list. Only one count runs at a time.
func (c *counts) fill(ctx context.Context, store holder, projects []memory.ProjectHolding) error {
	waiting, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	if err := c.wait(waiting); err == nil { // for a count that began before
		c.begin(context.WithoutCancel(ctx), store, projects)
		_ = c.wait(waiting) // the counts until then are used
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range projects {
		last := c.last[projects[i].Key]
		projects[i].Holding, projects[i].CountedAt = last.holding, last.at
	}
	return ctx.Err()
}

// wait waits until no count is under way.
func (c *counts) wait(ctx context.Context) error {
	c.mu.Lock()
	done := c.done
	c.mu.Unlock()
	if done == nil {
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin begins a count, unless one is under way.
func (c *counts) begin(ctx context.Context, store holder, projects []memory.ProjectHolding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done != nil {
		return
	}
	if c.last == nil {
		c.last = map[string]counted{}
	}
	order := make([]string, len(projects))
	for i, one := range projects {
		order[i] = one.Key
	}
	slices.SortStableFunc(order, func(a, b string) int { return c.last[a].at.Compare(c.last[b].at) })
	c.done = make(chan struct{})
	go c.count(ctx, store, order)
}

// count ends at the first project that cannot be counted, as when the store is closed.
func (c *counts) count(ctx context.Context, store holder, order []string) {
	ctx, cancel := context.WithTimeout(ctx, mostCounting)
	defer cancel()
	for _, key := range order {
		began := time.Now()
		stats, err := store.Stats(ctx, key)
		if err != nil {
			break
		}
		c.mu.Lock()
		c.last[key] = counted{stats.Holding(), began}
		c.mu.Unlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.done)
	c.done = nil
}
