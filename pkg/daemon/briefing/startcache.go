package briefing

import (
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// startAge is the highest age of a cached start of a shared store: this daemon applies its
// own writes at once, but another may write to the same store.
const startAge = time.Minute

// maxStarts bounds the number of cached starts.
const maxStarts = 64

// startCache caches the start of each project, so that a starting session waits for no
// query.
type startCache struct {
	mu      sync.Mutex
	writes  int // number of writes, so that rows read before a write are not kept after it
	entries *lru.Cache[string, cachedStart]
	stale   map[string]bool // projects whose start is to be read again when no write follows at once
}

type cachedStart struct {
	rows     memory.StartContext
	at       time.Time
	allFacts bool // its facts were chosen from the whole index
}

func (c *startCache) get(project string) (held cachedStart, found bool, writes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	held, found = c.entries.Get(project)
	return held, found, c.writes
}

func (c *startCache) put(project string, held cachedStart, writes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if writes == c.writes {
		c.entries.Add(project, held)
	}
}

// hasSummary reports whether the project's cached start has the session's summary.
func (c *startCache) hasSummary(project, session string) bool {
	held, found := c.entries.Peek(project)
	return found && slices.ContainsFunc(held.rows.Summaries, func(s memory.Session) bool { return s.ID == session })
}

// drop removes the stale projects, and marks those that were cached as due.
func (c *startCache) drop(isStale func(project string) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes++
	if c.stale == nil {
		c.stale = map[string]bool{}
	}
	for _, project := range c.entries.Keys() {
		if isStale(project) {
			c.entries.Remove(project)
			c.stale[project] = true
		}
	}
}

// dropAll removes everything. No project is due before the next request.
func (c *startCache) dropAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes++
	c.entries.Purge()
	clear(c.stale)
}

// due returns the projects to read again, if nobody has done so since they were dropped.
func (c *startCache) due() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var due []string
	for project := range c.stale {
		if !c.entries.Contains(project) {
			due = append(due, project)
		}
	}
	clear(c.stale)
	return due
}
