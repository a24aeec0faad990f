// Package memstore is an in-memory store: for tests of code that uses a store, and as
// a second implementation for the conformance suite. Nothing outlives its process.
package memstore

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Store is the contract of package storetest on maps, with the book that changes it. The zero value is not usable; see New.
type Store struct {
	*book.Book
	mu            sync.Mutex
	projects      map[string]memory.ProjectRow
	sessions      map[string]memory.Session
	prompts       map[string]memory.Prompt
	memories      map[string]memory.Memory
	sightings     map[string]memory.Sighting
	files         map[string]memory.File
	runs          map[string]memory.Run
	sessionEvents map[string]memory.SessionEvent
	injected      map[string]memory.Injection
	standings     map[string]*memory.Row // by memory, without it
	cursor        memory.ChangeCursor    // of the latest change
	uses          map[string]memory.Use
	days          map[string]memory.ActiveDay
	bands         map[string][]string // memories by key
	jobs          map[string]memory.JobState
	leases        map[string]lease
	distillations map[string]memory.Distillation
	spend         map[string]memory.Spend
	others        map[string]anyRows // of tables that nothing reads, by their names
	restoring     string             // the archive's source, while a restore is unfinished
	index         index
}

// New makes an empty store.
func New() *Store {
	s := &Store{
		projects:      map[string]memory.ProjectRow{},
		sessions:      map[string]memory.Session{},
		prompts:       map[string]memory.Prompt{},
		memories:      map[string]memory.Memory{},
		sightings:     map[string]memory.Sighting{},
		files:         map[string]memory.File{},
		runs:          map[string]memory.Run{},
		sessionEvents: map[string]memory.SessionEvent{},
		injected:      map[string]memory.Injection{},
		standings:     map[string]*memory.Row{},
		uses:          map[string]memory.Use{},
		days:          map[string]memory.ActiveDay{},
		bands:         map[string][]string{},
		jobs:          map[string]memory.JobState{},
		leases:        map[string]lease{},
		distillations: map[string]memory.Distillation{},
		spend:         map[string]memory.Spend{},
		others:        map[string]anyRows{},
	}
	s.Book = book.New(s)
	s.reindex()
	return s
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// Memory implements storetest.Store.
func (s *Store) Memory(ctx context.Context, id string) (memory.Memory, error) {
	found, err := s.Beginning(ctx, id)
	if err != nil {
		return memory.Memory{}, err
	}
	return memory.Only(id, found)
}

// Beginning implements storetest.Store.
func (s *Store) Beginning(_ context.Context, id string) ([]memory.Memory, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.all(func(m memory.Memory) bool {
		return m.ID == id || memory.IsIDBeginning(id) && strings.HasPrefix(m.ID, id)
	})
	slices.SortFunc(found, func(a, b memory.Memory) int { return cmp.Compare(a.ID, b.ID) })
	return found[:min(len(found), memory.MostBeginning)], nil
}

// Memories implements storetest.Store.
func (s *Store) Memories(_ context.Context, f memory.Filter) ([]memory.Memory, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.Judged {
		return s.best(math.MaxInt, func(m memory.Memory) bool {
			return slices.Contains(m.Tags, memory.TagConfirmed) || slices.Contains(m.Tags, memory.TagPutAway)
		}), nil
	}
	return s.best(most(f.Limit), passing(f)), nil
}

// most is a limit, or the one that is meant by none.
func most(limit int) int { return cmp.Or(max(limit, 0), 100) }

// CountMemories implements storetest.Store.
func (s *Store) CountMemories(_ context.Context, f memory.Filter) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	count, passes := 0, passing(f)
	for _, m := range s.memories {
		if passes(m) {
			count++
		}
	}
	return count, nil
}

// passing tells which memories a filter asks for.
func passing(f memory.Filter) func(memory.Memory) bool {
	return func(m memory.Memory) bool {
		return (f.Project == "" || m.Project == f.Project) &&
			(f.Scope == "" || m.Scope == f.Scope) &&
			(len(f.Kinds) == 0 || slices.Contains(f.Kinds, m.Kind)) &&
			(len(f.Statuses) == 0 || slices.Contains(f.Statuses, m.Status))
	}
}

func (s *Store) best(limit int, keep func(memory.Memory) bool) []memory.Memory {
	return memory.Best(s.all(keep), limit)
}

func (s *Store) all(keep func(memory.Memory) bool) []memory.Memory {
	var found []memory.Memory
	for _, m := range s.memories {
		if keep(m) {
			found = append(found, m)
		}
	}
	return found
}

// SessionRecords implements storetest.Store.
func (s *Store) SessionRecords(_ context.Context, ids []string) ([]memory.SessionRecord, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []memory.SessionRecord
	for _, id := range ids {
		if session, isThere := s.sessions[id]; isThere {
			all = append(all, s.sessionRecord(session))
		}
	}
	return all, nil
}

// Sessions implements storetest.Store.
func (s *Store) Sessions(_ context.Context, q memory.SessionQuery) ([]memory.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []memory.Session{}
	for id, one := range s.sessions {
		isSilent := !one.State.Over() && one.LastEventAt.Before(q.Silent)
		if q.IDs != nil && !slices.Contains(q.IDs, id) || q.Project != "" && one.Project != q.Project || !q.Silent.IsZero() && !isSilent {
			continue
		}
		if q.Counted {
			one.PromptCount = len(s.index.prompts[id])
			for _, event := range s.index.sessionEvents[id] {
				if s.sessionEvents[event].Kind == memory.EventNotified {
					one.NotificationCount++
				}
			}
		}
		found = append(found, one)
	}
	return memory.Newest(found, max(most(q.Limit), len(q.IDs))), nil
}

func (s *Store) sessionRecord(found memory.Session) memory.SessionRecord {
	session := found.ID
	found.PromptCount = len(s.index.prompts[session])
	record := memory.SessionRecord{Session: found}
	for _, id := range s.index.prompts[session] {
		record.Prompts = append(record.Prompts, s.prompts[id])
	}
	slices.SortFunc(record.Prompts, func(a, b memory.Prompt) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	for i := range record.Prompts {
		record.Prompts[i].Number = i + 1
	}
	for _, id := range s.index.seen[session] {
		sighting := s.sightings[id]
		record.Seen = append(record.Seen, memory.Seen{ID: sighting.ID, Memory: s.memories[sighting.Memory], At: sighting.At})
	}
	slices.SortFunc(record.Seen, func(a, b memory.Seen) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	for _, id := range s.index.sessionEvents[session] {
		record.SessionEvents = append(record.SessionEvents, s.sessionEvents[id])
	}
	slices.SortFunc(record.SessionEvents, func(a, b memory.SessionEvent) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return record
}

// StartContext implements storetest.Store.
func (s *Store) StartContext(_ context.Context, q memory.StartQuery) (memory.StartContext, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	active := func(owners []string, kinds ...memory.Kind) []memory.Memory {
		found := memory.OwnFirst(s.all(func(m memory.Memory) bool {
			return slices.Contains(owners, m.Project) && slices.Contains(kinds, m.Kind) && s.isTold(m) && !m.IsFact()
		}), q.Limit)
		for i := range found {
			found[i].Asked = s.standings[found[i].ID].UserWritten
		}
		return found
	}
	both := []string{q.Project, ""}
	conventions := slices.Concat(
		active(both, memory.KindConvention, memory.KindCorrection, memory.KindDecision, memory.KindNote),
		active([]string{q.Project}, memory.KindPreference),
	)
	return memory.StartContext{
		Facts:       s.startFacts(q),
		Todos:       active(both, memory.KindTodo),
		Conventions: memory.OwnFirst(conventions, q.Limit),
		Failing: s.best(q.Limit, func(m memory.Memory) bool {
			return m.Project == q.Project && m.Kind == memory.KindFailure && m.Recallable() && !m.IsFact() && s.standings[m.ID].SupersededBy == ""
		}),
		Summaries:   s.summaries(q),
		Preferences: active([]string{""}, memory.KindPreference),
	}, nil
}

// isTold says whether a start may tell a memory.
func (s *Store) isTold(m memory.Memory) bool {
	return m.Status == memory.StatusActive && s.standings[m.ID].SupersededBy == ""
}

// startFacts are the best facts of each kind that a start tells.
func (s *Store) startFacts(q memory.StartQuery) []memory.Memory {
	var all []memory.Memory
	for _, kind := range memory.StartKinds() {
		for _, owner := range []string{q.Project, ""} {
			all = append(all, s.best(q.Limit, func(m memory.Memory) bool {
				return m.Project == owner && m.Kind == kind && m.IsFact() && s.isTold(m)
			})...)
		}
	}
	return memory.Best(all, len(all))
}

func (s *Store) summaries(q memory.StartQuery) []memory.Session {
	var found []memory.Session
	for _, session := range s.sessions {
		told := session.State == memory.SessionCompleted || session.State == memory.SessionAbandoned
		if session.Project == q.Project && told && session.Summary.Text != "" && session.ID != q.Session {
			found = append(found, session)
		}
	}
	return memory.Newest(found, q.Limit)
}

// Recallable implements storetest.Store.
func (s *Store) Recallable(ctx context.Context, project string, size int, visit func([]memory.Row) error) error {
	for page := range slices.Chunk(s.recallable(project), size) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := visit(page); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) recallable(project string) []memory.Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows(func(r memory.Row) bool {
		return (r.Memory.Project == project || r.Memory.Project == "") && r.Memory.Recallable()
	})
}

// Injections implements storetest.Store.
func (s *Store) Injections(_ context.Context, session string, from, until time.Time) ([]memory.Injection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var told []memory.Injection
	for _, i := range s.injected {
		if i.Session == session && !i.At.Before(from) && (until.IsZero() || i.At.Before(until)) {
			told = append(told, i)
		}
	}
	slices.SortFunc(told, func(a, b memory.Injection) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return told, nil
}

// Around implements storetest.Store.
func (s *Store) Around(_ context.Context, q memory.AroundQuery) ([]memory.Memory, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var until, later []memory.Memory
	for _, m := range s.memories {
		switch {
		case m.Project != q.Project || m.Status != memory.StatusActive:
		case m.LastSeenAt.After(q.At):
			later = append(later, m)
		default:
			until = append(until, m)
		}
	}
	byTime := func(a, b memory.Memory) int {
		return cmp.Or(a.LastSeenAt.Compare(b.LastSeenAt), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(until, byTime)
	slices.SortFunc(later, byTime)
	return slices.Concat(until[max(0, len(until)-q.Before):], later[:min(q.After, len(later))]), nil
}
