package briefing

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// startAge is how old what a project's sessions start with may be: this agent
// sees its own writes at once, but another may write to the same remote store.
const startAge = time.Minute

// maxStarts bounds the projects whose starts are held.
const maxStarts = 64

// startCache holds what the sessions of each project start with, so that a start
// waits for no query.
type startCache struct {
	mu      sync.Mutex
	writes  int // counts the writes, so that rows read before one are not kept after it
	entries *lru.Cache[string, cachedStart]
}

type cachedStart struct {
	rows memory.StartContext
	at   time.Time
}

func (c *startCache) get(project string) (held cachedStart, known bool, writes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	held, known = c.entries.Get(project)
	return held, known, c.writes
}

func (c *startCache) put(project string, held cachedStart, writes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if writes == c.writes {
		c.entries.Add(project, held)
	}
}

// drop forgets the projects that are stale, and returns those it had held.
func (c *startCache) drop(isStale func(project string) bool) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes++
	var dropped []string
	for _, project := range c.entries.Keys() {
		if isStale(project) {
			c.entries.Remove(project)
			dropped = append(dropped, project)
		}
	}
	return dropped
}
