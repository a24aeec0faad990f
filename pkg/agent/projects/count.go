package projects

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// countTime is how long one list may take to count. Counting a project costs as much as
// it holds: 10,000 memories a tenth of a second.
const countTime = 2 * time.Second

// counts are the last counts of what projects hold.
type counts struct {
	mu   sync.Mutex
	last map[string]counted
}

// holder counts what a project holds.
type holder interface {
	Holding(ctx context.Context, project string) (memory.Holding, error)
}

type counted struct {
	holding memory.Holding
	at      time.Time
}

// fill sets what the projects hold. It counts them anew until the time is up, first those
// that were never counted, then those whose count is the oldest; the others have their last
// count, or none.
func (c *counts) fill(ctx context.Context, store holder, projects []memory.ProjectHolding) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		c.last = map[string]counted{}
	}
	order := make([]string, len(projects))
	for i, one := range projects {
		order[i] = one.Key
	}
	slices.SortStableFunc(order, func(a, b string) int { return c.last[a].at.Compare(c.last[b].at) })
	counting, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	for _, key := range order {
		began := time.Now()
		holding, err := store.Holding(counting, key)
		if counting.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		c.last[key] = counted{holding, began}
	}
	for i := range projects {
		last := c.last[projects[i].Key]
		projects[i].Holding, projects[i].CountedAt = last.holding, last.at
	}
	return ctx.Err()
}
