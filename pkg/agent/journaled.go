package agent

import (
	"context"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// journaled is a store that journals its writes, in the order of the commits, so that a
// rebuilt store is the same. Intake journals events by itself: it knows when they are
// acknowledged. Not journaled are rows that follow from the rest or are only held for a time:
// where jobs stand, when rows are looked at next, keys of near-duplicates, leases; and
// injections.
type journaled struct {
	Store
	ledger  *intake.Ledger
	counter tokens.Counter
}

// recorded makes a store journal its writes; without a ledger it is left as it is.
func recorded(store Store, l *intake.Ledger, counter tokens.Counter) Store {
	if l == nil {
		return store
	}
	return &journaled{store, l, counter}
}

// wrote records the rows as they are and has write put them into the store.
func (s *journaled) wrote(w journal.Wrote, write func() error) error {
	return s.ledger.Write(func() ([]journal.Record, error) {
		return []journal.Record{{Wrote: &w}}, write()
	})
}

// Ingest implements Store, for batches that follow from no event.
func (s *journaled) Ingest(ctx context.Context, b memory.Batch) error {
	kept := b
	kept.Injections = nil
	if reflect.ValueOf(kept).IsZero() {
		return s.Store.Ingest(ctx, b)
	}
	return s.wrote(journal.Wrote{Batch: &kept}, func() error { return s.Store.Ingest(ctx, b) })
}

// Commit implements Store. A commit that only says where a job stands, or when rows are looked at next, is not journaled.
func (s *journaled) Commit(ctx context.Context, c memory.Commit) (missed []string, err error) {
	err = s.ledger.Write(func() ([]journal.Record, error) {
		missed, err = s.Store.Commit(ctx, c)
		switch {
		case err == nil && c.Distillation != nil:
			return []journal.Record{{Wrote: &journal.Wrote{Distillation: c.Distillation}}}, nil
		case err != nil || c.Run.ID == "":
			return nil, err
		}
		step := journal.StepOf(c, missed)
		return []journal.Record{{Ran: &step}}, nil
	})
	return missed, err
}

// Amend implements Store.
func (s *journaled) Amend(ctx context.Context, id string, c memory.Change) (before, after memory.Memory, err error) {
	err = s.ledger.Write(func() ([]journal.Record, error) {
		before, after, err = s.Store.Amend(ctx, id, c)
		if err != nil || reflect.DeepEqual(before, after) {
			return nil, err
		}
		return []journal.Record{{Amended: &journal.Amended{Change: c, Before: before}}}, nil
	})
	return before, after, err
}

// RenameProject implements Store.
func (s *journaled) RenameProject(ctx context.Context, key, name string) error {
	return s.ledger.Write(func() ([]journal.Record, error) {
		return []journal.Record{{Renamed: &journal.Renamed{Project: key, Name: name}}}, s.Store.RenameProject(ctx, key, name)
	})
}

// MergeProjects implements Store.
func (s *journaled) MergeProjects(ctx context.Context, from, into string) (moved memory.Holding, err error) {
	err = s.ledger.Write(func() ([]journal.Record, error) {
		moved, err = s.Store.MergeProjects(ctx, from, into)
		return []journal.Record{{Merged: &journal.Merged{From: from, Into: into}}}, err
	})
	return moved, err
}

// Purge implements Store. Memories promoted to the user stay with a project, also if the
// journal has lost the events that made them.
func (s *journaled) Purge(ctx context.Context, key string) (held memory.Holding, err error) {
	if key == "" {
		everything := func(journal.Record) (journal.Record, bool) { return journal.Record{}, true }
		err = s.ledger.Forget(everything, func() ([]journal.Record, error) {
			held, err = s.Store.Purge(ctx, "")
			return []journal.Record{{Purged: &journal.Purged{}}}, err
		})
		return held, err
	}
	gone, err := s.purged(ctx, key)
	if err != nil {
		return held, err
	}
	err = s.ledger.Forget(gone.rest, func() ([]journal.Record, error) {
		held, err = s.Store.Purge(ctx, key)
		var records []journal.Record
		for _, project := range slices.Sorted(maps.Keys(gone.projects)) { // a backup may have them apart
			records = append(records, journal.Record{Purged: &journal.Purged{Project: project}})
		}
		if len(gone.users.Memories) > 0 {
			records = append(records, journal.Record{Wrote: &journal.Wrote{Batch: &gone.users}})
		}
		return records, err
	})
	return held, err
}

// purge is the set of rows to purge: a project, those merged into it, and their sessions.
// Users are the user's memories: they stay.
type purge struct {
	projects map[string]bool
	sessions map[string]bool
	memories map[string]bool // that were of these projects at some time
	users    memory.Batch
	counter  tokens.Counter
}

func (s *journaled) purged(ctx context.Context, key string) (purge, error) {
	gone := purge{projects: map[string]bool{}, sessions: map[string]bool{}, memories: map[string]bool{}, counter: s.counter}
	projects, err := s.Projects(ctx)
	if err != nil {
		return gone, err
	}
	gone.projects[key] = true
	for alias, meant := range memory.AliasesOf(projects) {
		if meant == key {
			gone.projects[alias] = true
		}
	}
	for project := range gone.projects {
		sessions, err := s.Sessions(ctx, memory.SessionQuery{Project: project, Limit: math.MaxInt32})
		if err != nil {
			return gone, err
		}
		for _, one := range sessions {
			gone.sessions[one.ID] = true
		}
	}
	if err := s.ledger.Each(gone.note); err != nil {
		return gone, err
	}
	gone.users, err = s.usersOwn(ctx)
	return gone, err
}

// note notes a memory that was changed while it was of one of the projects: its other
// changes were made while it was the user's.
func (p purge) note(r journal.Record) {
	if r.Amended != nil && p.projects[r.Amended.Before.Project] {
		p.memories[r.Amended.Before.ID] = true
	}
	if r.Ran == nil {
		return
	}
	for _, a := range r.Ran.Actions {
		if p.projects[a.Project] || p.projects[a.After.Project] {
			p.memories[a.Memory] = true
		}
	}
}

// usersOwn are all memories of the user: those that came from another project may have been
// seen in this one last.
func (s *journaled) usersOwn(ctx context.Context) (memory.Batch, error) {
	var users memory.Batch
	all, err := s.Memories(ctx, memory.Filter{Scope: memory.ScopeUser, Limit: math.MaxInt32})
	if err != nil {
		return users, err
	}
	users.Memories = all
	ids := make([]string, len(all))
	for i, m := range all {
		ids[i] = m.ID
	}
	for some := range slices.Chunk(ids, 1000) {
		rows, err := s.Rows(ctx, memory.RowQuery{IDs: some})
		if err != nil {
			return users, err
		}
		for _, row := range rows {
			if row.UserWritten {
				users.UserWritten = append(users.UserWritten, row.Memory.ID)
			}
		}
	}
	return users, nil
}

// stays says whether a memory is the user's.
func (p purge) stays(id string) bool {
	return slices.ContainsFunc(p.users.Memories, func(m memory.Memory) bool { return m.ID == id })
}

// isGone says whether a memory goes that was of a project when something was recorded.
func (p purge) isGone(project, id string) bool {
	return (p.projects[project] || p.memories[id]) && !p.stays(id)
}

// rest is the part of a record that stays, and whether that differs from it.
func (p purge) rest(r journal.Record) (journal.Record, bool) {
	left := journal.Record{At: r.At}
	switch {
	case r.Event != nil && (p.projects[r.Event.Project.Key] || r.Event.Project.Key == "" && p.sessions[r.Event.Session]): // imported sightings have none
		return p.restOfEvent(left, *r.Event), true
	case r.Amended != nil && p.isOf(*r.Amended): // that something was changed stays known
		ran := p.restOfRun(runOf(*r.Amended))
		left.Ran = &ran
		return left, true
	case r.Renamed != nil:
		return dropped(r, p.projects[r.Renamed.Project])
	case r.Merged != nil:
		return dropped(r, p.projects[r.Merged.Into])
	case r.Ran != nil:
		ran := p.restOfRun(*r.Ran)
		left.Ran = &ran
		return left, !reflect.DeepEqual(ran, *r.Ran)
	case r.Concluded != nil:
		sessions := without(r.Concluded.Sessions, func(id string) bool { return p.sessions[id] })
		left.Concluded = &journal.Concluded{Sessions: sessions}
		return left, len(sessions) < len(r.Concluded.Sessions)
	case r.Wrote != nil:
		wrote := p.restOf(*r.Wrote)
		left.Wrote = &wrote
		return left, !reflect.DeepEqual(wrote, *r.Wrote)
	}
	return r, false
}

// restOfEvent is the part of an event's rows that is the user's.
func (p purge) restOfEvent(left journal.Record, e memory.Event) journal.Record {
	made := ingest.Batch([]memory.Event{e}, p.counter)
	users := memory.Batch{
		Memories:    without(made.Memories, func(m memory.Memory) bool { return !p.stays(m.ID) }),
		UserWritten: without(made.UserWritten, func(id string) bool { return !p.stays(id) }),
		Derived:     without(made.Derived, func(d memory.Derivation) bool { return !p.stays(d.Memory) }),
	}
	if len(users.Memories) > 0 {
		left.Wrote = &journal.Wrote{Batch: &users}
	}
	return left
}

func dropped(r journal.Record, isGone bool) (journal.Record, bool) {
	if isGone {
		return journal.Record{}, true
	}
	return r, false
}

// isOf says whether a change was of a memory that goes, or made one.
func (p purge) isOf(a journal.Amended) bool {
	after := changed(a)
	return p.isGone(a.Before.Project, a.Before.ID) || p.isGone(after.Project, after.ID)
}

// changed is the memory after a change by hand.
func changed(a journal.Amended) memory.Memory {
	after, err := a.Change.Apply(a.Before)
	if err != nil { // a store has made it
		return a.Before
	}
	return after
}

// runOf is the run of a change by hand.
func runOf(a journal.Amended) journal.Ran {
	after := changed(a)
	return journal.StepOf(memory.Commit{Run: memory.AmendRun(a.Before, after, a.Change)}, nil)
}

// restOfRun leaves of a run's actions on purged memories only the moves: a backup may have
// a memory at its former place, and it is to be purged there, too.
func (p purge) restOfRun(ran journal.Ran) journal.Ran {
	var left []journal.Action
	for _, a := range ran.Actions {
		if !p.isGone(a.Project, a.Memory) {
			left = append(left, a)
			continue
		}
		moved := []string{"project", "scope"}
		a.Before, a.After = memory.State{}.Patch(moved, a.Before), memory.State{}.Patch(moved, a.After)
		if a.Reason = ""; a.Row == nil && a.Before.Project != a.After.Project {
			left = append(left, a)
		}
	}
	ran.Actions = left
	return ran
}

// restOf leaves out the rows of purged sessions. Spent tokens stay, and so do uses of other
// projects' memories.
func (p purge) restOf(w journal.Wrote) journal.Wrote {
	if w.Batch != nil {
		b := *w.Batch
		b.Sessions = without(b.Sessions, func(s memory.Session) bool { return p.sessions[s.ID] })
		b.Summaries = without(b.Summaries, func(s memory.SessionSummary) bool { return p.sessions[s.Session] })
		b.Memories = without(b.Memories, func(m memory.Memory) bool { return p.isGone(m.Project, m.ID) })
		b.SessionEvents = without(b.SessionEvents, func(e memory.SessionEvent) bool { return p.sessions[e.Session] })
		b.Queued = without(b.Queued, func(d memory.Distillation) bool { return p.sessions[d.Session] })
		b.Spent = slices.Clone(b.Spent)
		for i := range b.Spent {
			if p.sessions[b.Spent[i].Session] {
				b.Spent[i].Session = ""
			}
		}
		w.Batch = &b
	}
	if w.Distillation != nil && p.sessions[w.Distillation.Session] {
		w.Distillation = nil
	}
	return w
}

// without is all but those that are gone.
func without[T any](all []T, isGone func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), isGone)
}
