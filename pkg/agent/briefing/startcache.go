package briefing

import (
	"context"
	"slices"
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

// startRows bounds each section of a session's start: more than fit into any
// budget that the client accepts.
const startRows = 200

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

// start returns what a session of the project starts with, without the session's
// own summary.
func (b *Briefing) start(ctx context.Context, project, session string) (memory.StartContext, error) {
	held, known, writes := b.starts.get(project)
	if !known || b.Now().Sub(held.at) >= startAge {
		rows, err := b.fillStart(ctx, project, writes)
		if err != nil {
			return memory.StartContext{}, err
		}
		held.rows = rows
	}
	start := held.rows
	start.Summaries = slices.DeleteFunc(slices.Clone(start.Summaries), func(s memory.Session) bool { return s.ID == session })
	return start, nil
}

func (b *Briefing) fillStart(ctx context.Context, project string, writes int) (memory.StartContext, error) {
	rows, err := b.Store.StartContext(ctx, memory.StartQuery{Project: project, Limit: startRows})
	if err == nil {
		rows = b.withoutRepetition(rows)
		b.starts.put(project, cachedStart{rows, b.Now()}, writes)
	}
	return rows, err
}

// refreshStarts reads again what a write may have changed, for the projects that
// are held: the next start should not have to wait for it. An error only costs
// that.
func (b *Briefing) refreshStarts(ctx context.Context, written []memory.Memory, concluded []memory.Session) {
	stale := map[string]bool{}
	for _, m := range written {
		if m.Kind.UserAuthored() || m.IsConclusion() {
			stale[m.Project] = true // "" is the user's, which every project is given
		}
	}
	for _, s := range concluded {
		stale[s.Project] = true
	}
	if len(stale) == 0 {
		return
	}
	for _, project := range b.starts.drop(func(project string) bool { return stale[project] || stale[""] }) {
		_, _, writes := b.starts.get(project)
		if _, err := b.fillStart(ctx, project, writes); err != nil {
			b.Log.Debug("what a session starts with could not be read", "project", project, "error", err)
		}
	}
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
