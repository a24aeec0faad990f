package agent

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// maxSessions bounds the sessions whose injections are held; one that was
// dropped is read from the store again.
const maxSessions = 64

// injections knows what each session was given, so that nothing is given twice,
// and holds what is not in the store yet.
type injections struct {
	mu       sync.Mutex
	sessions map[string]*givenSet
	unsaved  []memory.Injection
}

// givenSet is what one session was given since it was last compacted.
type givenSet struct {
	mu  sync.Mutex
	ids map[string]bool
}

func (g *givenSet) has(id string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ids[id]
}

func (g *givenSet) add(ids []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, id := range ids {
		g.ids[id] = true
	}
}

// given returns what a session was given. An agent that has just started asks
// the store.
func (a *Agent) given(ctx context.Context, session string) (*givenSet, error) {
	a.injections.mu.Lock()
	set := a.injections.sessions[session]
	a.injections.mu.Unlock()
	if set != nil {
		return set, nil
	}
	since := a.lastCompaction(ctx, session)
	ids, err := a.Store.Injected(ctx, session, since)
	if err != nil {
		return nil, err
	}
	return a.injections.remember(session, ids), nil
}

// lastCompaction is when a session was compacted last; what cannot be found out
// counts as never.
func (a *Agent) lastCompaction(ctx context.Context, session string) time.Time {
	activity, err := a.Store.Activity(ctx, session)
	if err != nil {
		return time.Time{}
	}
	var last time.Time
	for _, m := range activity.Moments {
		if m.Kind == memory.EventCompacting || m.Kind == memory.EventCompacted {
			last = m.At
		}
	}
	return last
}

func (i *injections) remember(session string, ids []string) *givenSet {
	i.mu.Lock()
	defer i.mu.Unlock()
	if set := i.sessions[session]; set != nil { // another hook of the session was faster
		return set
	}
	if len(i.sessions) >= maxSessions || i.sessions == nil {
		i.sessions = map[string]*givenSet{} // cheap to fill again
	}
	set := &givenSet{ids: map[string]bool{}}
	set.add(ids)
	i.sessions[session] = set
	return set
}

// inject notes that a session was given memories.
func (a *Agent) inject(session, hook string, ids []string) {
	if len(ids) == 0 || session == "" {
		return
	}
	a.injections.remember(session, nil).add(ids)
	now := a.Now().UTC()
	a.injections.mu.Lock()
	defer a.injections.mu.Unlock()
	for _, id := range ids {
		a.injections.unsaved = append(a.injections.unsaved, memory.Injection{
			ID: memory.NewEventID(now), Memory: id, Session: session, Hook: hook, At: now,
		})
	}
}

// forgetGiven lets a session be given everything anew: a compaction has dropped
// what it was given.
func (a *Agent) forgetGiven(session string) {
	a.injections.mu.Lock()
	defer a.injections.mu.Unlock()
	if a.injections.sessions == nil {
		a.injections.sessions = map[string]*givenSet{}
	}
	a.injections.sessions[session] = &givenSet{ids: map[string]bool{}}
}

// saveInjections writes what is not in the store yet. What cannot be written is
// given up: it only counts what was shown.
func (a *Agent) saveInjections(ctx context.Context) {
	a.injections.mu.Lock()
	unsaved := a.injections.unsaved
	a.injections.unsaved = nil
	a.injections.mu.Unlock()
	if len(unsaved) == 0 {
		return
	}
	if err := a.Store.Ingest(ctx, memory.Batch{Injections: unsaved}); err != nil {
		a.Log.Warn("what was injected could not be recorded", "memories", len(unsaved), "error", err)
	}
}

// plannedTasks holds the tasks of subagents that are about to start.
type plannedTasks struct {
	mu    sync.Mutex
	tasks []plannedTask
}

type plannedTask struct{ session, kind, task string }

// maxPlanned bounds the tasks that wait for a start which may never come.
const maxPlanned = 100

func (p *plannedTasks) add(session, kind, task string) {
	if strings.TrimSpace(task) == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.tasks) >= maxPlanned {
		p.tasks = p.tasks[1:]
	}
	p.tasks = append(p.tasks, plannedTask{session, kind, task})
}

// take returns the oldest task of a session for a type of subagent, once. A
// plan without a type fits any.
func (p *plannedTasks) take(session, kind string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, t := range p.tasks {
		if t.session == session && (t.kind == kind || t.kind == "") {
			p.tasks = append(p.tasks[:i:i], p.tasks[i+1:]...)
			return t.task
		}
	}
	return ""
}
