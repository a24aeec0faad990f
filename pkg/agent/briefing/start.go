package briefing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/start"
)

// SessionContext packs the context of a starting session. Events of its project that
// were spooled before the session's start and may change it are ingested first.
func (b *Briefing) SessionContext(ctx context.Context, p agentapi.SessionContextParams) (agentapi.ContextResult, error) {
	ended, mustWait := b.Intake.Pending(p.Project, p.Before)
	if mustWait {
		waiting, cancel := session.Half(ctx)
		if err := b.Intake.IngestFor(waiting, p.Project, p.Before); err != nil {
			// An older answer is better than none.
			b.Log.Warn("events spooled before a session's start could not be stored", "error", err)
		}
		cancel()
	}
	rows, err := b.StartOf(ctx, p.Project, p.Session)
	if err != nil {
		return agentapi.ContextResult{}, err
	}
	rows.Summaries = withEnded(rows.Summaries, ended, p.Session)
	who := session.Conversation{Session: p.Session}
	var known *session.Shown
	if session.StartsAnew(p.Source) {
		known = b.Sessions.Begin(who, p.Source)
	} else if known, err = b.Sessions.Shown(ctx, who); err != nil {
		return agentapi.ContextResult{}, err
	}
	known.Turn.Lock()
	defer known.Turn.Unlock()
	rows = known.Without(rows)
	if !session.StartsAnew(p.Source) {
		if rows, err = b.sinceLeft(ctx, p.Session, rows); err != nil {
			return agentapi.ContextResult{}, err
		}
	}
	b.LoadedIn(ctx, p.Root, p.Dir).drop(&rows.Conventions, &rows.Preferences, &rows.Facts)
	b.Look(ctx, p.Root, &rows.Todos, &rows.Conventions, &rows.Preferences, &rows.Facts)
	sections, record := start.Sections(rows, b.Counter), memory.SessionRecord{}
	if p.Source == session.Compact {
		record, err = b.Store.SessionRecord(ctx, p.Session)
		if err != nil && !errors.Is(err, memory.ErrNotFound) && !errors.Is(err, memory.ErrUnavailable) {
			return agentapi.ContextResult{}, err
		}
		sections = start.CompactSections(record, rows, b.Counter)
	}
	budget := BudgetOf(rows, p.TokenBudget)
	packed := pack.Pack(sections, pack.ContextLimits(budget, b.SafetyFactor), b.Counter)
	if err := ctx.Err(); err != nil { // the caller has given up, so nothing is shown
		return agentapi.ContextResult{}, fmt.Errorf("the context of a start: %w", err)
	}
	b.Sessions.Record(who, "session_start", memoryIDs(packed.IDs, rows, record))
	return agentapi.ContextResult{
		Text: packed.Text, Tokens: packed.Tokens, Encoding: b.Counter.Encoding(), Items: len(packed.IDs), Budget: budget,
	}, nil
}

// withEnded adds sessions whose end is not stored yet to those that a start tells of.
func withEnded(told, ended []memory.Session, starting string) []memory.Session {
	for _, s := range ended {
		if s.Summary.Text != "" && s.ID != starting {
			told = append(slices.DeleteFunc(told, func(other memory.Session) bool { return other.ID == s.ID }), s)
		}
	}
	return memory.Newest(told, startRows)
}

// sinceLeft is the part of a start that is newer than the session's last activity: a
// resumed conversation had the rest, or its budget had no room for it.
func (b *Briefing) sinceLeft(ctx context.Context, id string, rows memory.StartContext) (memory.StartContext, error) {
	record, err := b.Store.SessionRecord(ctx, id)
	if errors.Is(err, memory.ErrNotFound) || errors.Is(err, memory.ErrUnavailable) { // rather too much than nothing
		return rows, nil
	}
	if err != nil {
		return rows, err
	}
	left := lastDoing(record)
	isOld := func(m memory.Memory) bool { return !m.LastSeenAt.After(left) }
	for _, memories := range []*[]memory.Memory{&rows.Todos, &rows.Conventions, &rows.Failing, &rows.Preferences, &rows.Facts} {
		*memories = slices.DeleteFunc(slices.Clone(*memories), isOld)
	}
	rows.Summaries = slices.DeleteFunc(slices.Clone(rows.Summaries), func(s memory.Session) bool { return !s.LastEventAt.After(left) })
	return rows, nil
}

// lastDoing is the time of a session's last activity; zero if there was none. Starting
// or resuming is no activity.
func lastDoing(record memory.SessionRecord) time.Time {
	var last time.Time
	see := func(at time.Time) {
		if at.After(last) {
			last = at
		}
	}
	for _, p := range record.Prompts {
		see(p.At)
	}
	for _, seen := range record.Seen {
		see(seen.At)
	}
	for _, e := range record.SessionEvents {
		see(e.At)
	}
	return last
}

// memoryIDs keeps the ids of memories only.
func memoryIDs(ids []string, rows memory.StartContext, record memory.SessionRecord) []string {
	known := map[string]bool{}
	for _, seen := range record.Seen {
		known[seen.Memory.ID] = true
	}
	for _, m := range slices.Concat(rows.Todos, rows.Conventions, rows.Failing, rows.Preferences, rows.Facts) {
		known[m.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !known[id] })
}

// mostWithoutFacts is the most tokens of a start in a project of which no model has
// written facts: the memories of rules help less often.
const mostWithoutFacts = 400

// BudgetOf is the most tokens that a start is told of a budget.
func BudgetOf(rows memory.StartContext, budget int) int {
	if rows.FactCount == 0 {
		return min(budget, mostWithoutFacts)
	}
	return budget
}

// startRows bounds each section of a start: more than fit into any budget that the
// client accepts.
const startRows = 200

// StartOf returns the context of a starting session of the project, without the session's
// own summary and the memories of running turns of other sessions.
func (b *Briefing) StartOf(ctx context.Context, project, starting string) (memory.StartContext, error) {
	held, known, writes := b.starts.get(project)
	if !known || b.Shared && b.Now().Sub(held.at) >= startAge {
		asking, cancel := session.Half(ctx)
		rows, err := b.fillStart(asking, project, writes)
		cancel()
		switch {
		case err == nil:
			held.rows = rows
		case !known || !errors.Is(err, memory.ErrUnavailable): // else the rows of before are better than none
			return memory.StartContext{}, err
		}
	}
	rows := held.rows
	rows.Summaries = slices.DeleteFunc(slices.Clone(rows.Summaries), func(s memory.Session) bool { return s.ID == starting })
	unsettled := func(m memory.Memory) bool { return b.Sessions.Unsettled(m, starting) }
	for _, memories := range []*[]memory.Memory{&rows.Todos, &rows.Conventions, &rows.Preferences} {
		*memories = slices.DeleteFunc(slices.Clone(*memories), unsettled)
	}
	return rows, nil
}

func (b *Briefing) fillStart(ctx context.Context, project string, writes int) (memory.StartContext, error) {
	rows, err := b.Store.StartContext(ctx, memory.StartQuery{Project: project, Limit: startRows})
	if err == nil {
		rows = b.withoutRepetition(start.WithBestFacts(rows))
		b.starts.put(project, cachedStart{rows, b.Now()}, writes)
	}
	return rows, err
}

// startAge is the highest age of a cached start of a shared store: this agent applies its
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
	dropped map[string]bool // projects whose start is to be read again when no write follows at once
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

// tells says whether the project's cached start has the session's summary.
func (c *startCache) tells(project, session string) bool {
	held, known := c.entries.Peek(project)
	return known && slices.ContainsFunc(held.rows.Summaries, func(s memory.Session) bool { return s.ID == session })
}

// drop removes the stale projects, and notes those that were cached as to be read again.
func (c *startCache) drop(isStale func(project string) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes++
	if c.dropped == nil {
		c.dropped = map[string]bool{}
	}
	for _, project := range c.entries.Keys() {
		if isStale(project) {
			c.entries.Remove(project)
			c.dropped[project] = true
		}
	}
}

// dropAll removes all, and none is to be read again before it is asked for.
func (c *startCache) dropAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes++
	c.entries.Purge()
	clear(c.dropped)
}

// due returns the projects that are to be read again and have not been since they were
// dropped.
func (c *startCache) due() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var due []string
	for project := range c.dropped {
		if !c.entries.Contains(project) {
			due = append(due, project)
		}
	}
	clear(c.dropped)
	return due
}
