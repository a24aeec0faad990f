package agent

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// shelfAge is how old what a project's sessions start with may be: this agent
// sees its own writes at once, but another may write to the same remote store.
const shelfAge = time.Minute

// maxShelves bounds the projects held; beyond, all are read anew.
const maxShelves = 64

// shelves hold what the sessions of each project start with, so that a start
// waits for no query.
type shelves struct {
	mu      sync.Mutex
	writes  int // counts the writes, so that rows read before one are not kept after it
	entries map[string]shelf
}

type shelf struct {
	rows memory.StartContext
	at   time.Time
}

// start returns what a session of the project starts with, without the session's
// own summary.
func (a *Agent) start(ctx context.Context, project, session string) (memory.StartContext, error) {
	held, known, writes := a.shelves.get(project)
	if !known || a.Now().Sub(held.at) >= shelfAge {
		rows, err := a.stock(ctx, project, writes)
		if err != nil {
			return memory.StartContext{}, err
		}
		held.rows = rows
	}
	start := held.rows
	start.Summaries = slices.DeleteFunc(slices.Clone(start.Summaries), func(s memory.Session) bool { return s.ID == session })
	return start, nil
}

func (a *Agent) stock(ctx context.Context, project string, writes int) (memory.StartContext, error) {
	rows, err := a.Store.StartContext(ctx, memory.StartQuery{Project: project, Limit: startRows})
	if err == nil {
		a.shelves.put(project, shelf{rows, a.Now()}, writes)
	}
	return rows, err
}

// restock reads anew what a write may have changed, for the projects that are
// held: the next start should not have to wait for it. An error only costs that.
func (a *Agent) restock(ctx context.Context, written []memory.Memory, concluded []memory.Session) {
	stale := map[string]bool{}
	for _, m := range written {
		if isTold(m.Kind) {
			stale[m.Project] = true // "" is the user's, which every project is given
		}
	}
	for _, s := range concluded {
		stale[s.Project] = true
	}
	for _, project := range a.shelves.drop(stale) {
		_, _, writes := a.shelves.get(project)
		if _, err := a.stock(ctx, project, writes); err != nil {
			a.Log.Debug("what a session starts with could not be read", "project", project, "error", err)
		}
	}
}

// isTold says whether a session starts with memories of this kind.
func isTold(kind memory.Kind) bool {
	switch kind {
	case memory.KindTodo, memory.KindConvention, memory.KindDecision, memory.KindNote, memory.KindPreference:
		return true
	default:
		return false
	}
}

func (s *shelves) get(project string) (held shelf, known bool, writes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, known = s.entries[project]
	return held, known, s.writes
}

func (s *shelves) put(project string, held shelf, writes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if writes != s.writes {
		return
	}
	if s.entries == nil || len(s.entries) >= maxShelves {
		s.entries = map[string]shelf{}
	}
	s.entries[project] = held
}

// drop forgets the projects that are stale, or all for "", and returns those it
// had held.
func (s *shelves) drop(stale map[string]bool) []string {
	if len(stale) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	var dropped []string
	for project := range s.entries {
		if stale[project] || stale[""] {
			delete(s.entries, project)
			dropped = append(dropped, project)
		}
	}
	return dropped
}
