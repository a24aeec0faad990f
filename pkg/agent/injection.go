package agent

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// maxListeners bounds those whose injections are held; one that was dropped is
// read from the store again, if it is a session.
const maxListeners = 64

// listener is who is given something: a session, or one of its subagents, which
// is a conversation of its own.
type listener struct {
	session  string
	subagent string // empty for the session itself
}

// injections knows what each listener was given, so that nothing is given twice,
// and holds what is not in the store yet.
type injections struct {
	mu        sync.Mutex
	listeners map[listener]*givenSet
	unsaved   []memory.Injection
	uses      []memory.Use // by being recalled

	saving sync.Mutex // held while some of unsaved is written
}

// givenSet is what one listener was given since it was last compacted.
type givenSet struct {
	who   listener
	since time.Time // of the compaction; zero if there was none

	// turn is held from looking what is known until what is given was added:
	// hooks of parallel tool calls ask at the same time.
	turn sync.Mutex

	mu    sync.Mutex
	ids   map[string]bool
	about map[string]subject // what those are about, as far as it was needed
	used  map[string]string  // by this listener, with the event that proved it
}

// knows tells whether a memory is in the conversation already: it was given, or
// it is of something that happened there.
func (g *givenSet) knows(m memory.Memory) bool {
	if g.who.subagent == "" && m.Session != "" && m.Session == g.who.session && m.LastSeenAt.After(g.since) {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ids[m.ID]
}

// without leaves out the memories that are known.
func (g *givenSet) without(start memory.StartContext) memory.StartContext {
	for _, memories := range []*[]memory.Memory{&start.Todos, &start.Conventions, &start.Preferences} {
		*memories = slices.DeleteFunc(slices.Clone(*memories), g.knows)
	}
	return start
}

func (g *givenSet) add(ids []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, id := range ids {
		g.ids[id] = true
	}
}

// given returns what a listener was given. For a session, an agent that has just
// started asks the store.
func (a *Agent) given(ctx context.Context, who listener) (*givenSet, error) {
	a.injections.mu.Lock()
	set := a.injections.listeners[who]
	a.injections.mu.Unlock()
	if set != nil {
		return set, nil
	}
	if who.subagent != "" {
		return a.injections.remember(who, time.Time{}, nil), nil
	}
	since := a.lastCompaction(ctx, who.session)
	waiting := a.injections.waiting(who.session, since) // before the store is asked: it may get them meanwhile
	ids, err := a.Store.Injected(ctx, who.session, since)
	if err != nil {
		return nil, err
	}
	return a.injections.remember(who, since, append(waiting, ids...)), nil
}

// waiting returns what a session was given after a time that is not in the store
// yet.
func (i *injections) waiting(session string, since time.Time) []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	var ids []string
	for _, one := range i.unsaved {
		if one.Session == session && one.At.After(since) {
			ids = append(ids, one.Memory)
		}
	}
	return ids
}

// lastCompaction is when a session was compacted last; what cannot be found out
// counts as never. A compaction drops what was given before it began. That it
// took place shows by its end or by the start that follows it; the client sends
// the start before the end.
func (a *Agent) lastCompaction(ctx context.Context, session string) time.Time {
	activity, err := a.Store.Activity(ctx, session)
	if err != nil {
		return time.Time{}
	}
	var begun, last time.Time
	for _, m := range activity.Moments {
		switch m.Kind {
		case memory.EventCompacting:
			begun = m.At
		case memory.EventCompacted:
			last = begun
		default:
		}
	}
	if s := activity.Session; s.Source == compacted && s.SourceAt.After(last) {
		last = s.SourceAt
	}
	return last
}

func (i *injections) remember(who listener, since time.Time, ids []string) *givenSet {
	i.mu.Lock()
	defer i.mu.Unlock()
	if set := i.listeners[who]; set != nil { // another hook of the session was faster
		return set
	}
	set := &givenSet{who: who, since: since, ids: map[string]bool{}}
	set.add(ids)
	i.put(set)
	return set
}

func (i *injections) put(set *givenSet) {
	if len(i.listeners) >= maxListeners || i.listeners == nil {
		i.listeners = map[listener]*givenSet{} // cheap to fill again
	}
	i.listeners[set.who] = set
}

// inject notes that a listener was given memories.
func (a *Agent) inject(who listener, hook string, ids []string) {
	if len(ids) == 0 || who.session == "" {
		return
	}
	now := a.Now().UTC()
	a.injections.mu.Lock()
	defer a.injections.mu.Unlock()
	if set := a.injections.listeners[who]; set != nil { // else it is read from the store when it is needed
		set.add(ids)
	}
	for _, id := range ids {
		a.injections.unsaved = append(a.injections.unsaved, memory.Injection{
			ID: memory.NewEventID(now), Memory: id, Session: who.session, Subagent: who.subagent, Hook: hook, At: now,
		})
	}
}

// forgetGiven lets a session be given everything anew: it is new, or a compaction
// has dropped what it was given, and what happened in it.
func (a *Agent) forgetGiven(who listener) {
	now := a.Now()
	a.injections.mu.Lock()
	defer a.injections.mu.Unlock()
	a.injections.put(&givenSet{who: who, since: now, ids: map[string]bool{}})
}

// saveInjections writes what is not in the store yet. What cannot be written is
// given up: it only counts what was shown.
func (a *Agent) saveInjections(ctx context.Context) {
	a.injections.saving.Lock()
	defer a.injections.saving.Unlock()
	a.injections.mu.Lock()
	unsaved, uses := slices.Clone(a.injections.unsaved), slices.Clone(a.injections.uses)
	a.injections.mu.Unlock()
	if len(unsaved)+len(uses) == 0 {
		return
	}
	defer func() {
		a.injections.mu.Lock()
		defer a.injections.mu.Unlock()
		a.injections.unsaved = slices.Delete(a.injections.unsaved, 0, len(unsaved))
		a.injections.uses = slices.Delete(a.injections.uses, 0, len(uses))
	}()
	if err := a.Store.Ingest(ctx, memory.Batch{Injections: unsaved, Uses: uses}); err != nil {
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
