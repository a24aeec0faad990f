// Package memstore is an in-memory store: for tests of code that uses a store, and as
// a second implementation for the conformance suite. Nothing outlives its process.
package memstore

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Store implements the contract of package storetest with maps, and includes the book that changes it. Use New.
type Store struct {
	*book.Book
	mu            sync.Mutex
	projects      map[string]memory.ProjectRow
	sessions      map[string]memory.Session
	prompts       map[string]memory.Prompt
	memories      map[string]*memory.Row
	sightings     map[string]memory.Sighting
	files         map[string]memory.File
	runs          map[string]memory.Run
	sessionEvents map[string]memory.SessionEvent
	injected      map[string]memory.Injection
	cursor        memory.ChangeCursor // of the latest change
	uses          map[string]memory.Use
	days          map[string]memory.ActiveDay
	bands         map[string][]string // memories by key
	jobs          map[string]memory.JobState
	leases        map[string]lease
	distillations map[string]memory.Distillation
	spend         map[string]memory.Spend
	others        map[string]anyRows // tables that no query reads, by name
	restoring     string             // the archive's source, while a restore is unfinished
	index         index
}

// New returns an empty store.
func New() *Store {
	s := &Store{
		projects:      map[string]memory.ProjectRow{},
		sessions:      map[string]memory.Session{},
		prompts:       map[string]memory.Prompt{},
		memories:      map[string]*memory.Row{},
		sightings:     map[string]memory.Sighting{},
		files:         map[string]memory.File{},
		runs:          map[string]memory.Run{},
		sessionEvents: map[string]memory.SessionEvent{},
		injected:      map[string]memory.Injection{},
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

// most returns a limit, or the default for none.
func most(limit int) int { return cmp.Or(max(limit, 0), memory.DefaultLimit) }

// CountMemories implements storetest.Store.
func (s *Store) CountMemories(_ context.Context, f memory.Filter) (count int, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, row := range s.memories {
		if passes(f, row.Memory) {
			count++
		}
	}
	return count, nil
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
	var keep func(memory.Session) bool
	limit, isCounted := 0, false
	switch q := q.(type) {
	case memory.SessionIDs:
		return slices.Collect(maps.Values(among(s.sessions, q))), nil
	case memory.Silent:
		keep = func(one memory.Session) bool { return !one.State.Over() && one.LastEventAt.Before(q.Since) }
		limit = q.Limit
	case memory.Summarised:
		keep = func(one memory.Session) bool {
			return one.Project == q.Project && one.State.Over() && one.Summary.Text != ""
		}
		limit = q.Limit
	case memory.LastSessions:
		keep = func(one memory.Session) bool { return q.Project == "" || one.Project == q.Project }
		limit, isCounted = q.Limit, q.Counted
	}
	found := []memory.Session{}
	for id, one := range s.sessions {
		if !keep(one) {
			continue
		}
		if isCounted {
			one.PromptCount, one.NotificationCount = len(s.index.prompts[id]), s.notifications(id)
		}
		found = append(found, one)
	}
	return memory.Newest(found, most(limit)), nil
}

func (s *Store) notifications(session string) (n int) {
	for _, event := range s.index.sessionEvents[session] {
		if s.sessionEvents[event].Kind == memory.EventNotified {
			n++
		}
	}
	return n
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
		if row, isThere := s.memories[sighting.Memory]; isThere {
			record.Seen = append(record.Seen, memory.Seen{ID: sighting.ID, Memory: row.Memory, At: sighting.At})
		}
	}
	slices.SortFunc(record.Seen, func(a, b memory.Seen) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	for _, id := range s.index.sessionEvents[session] {
		record.SessionEvents = append(record.SessionEvents, s.sessionEvents[id])
	}
	slices.SortFunc(record.SessionEvents, func(a, b memory.SessionEvent) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return record
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
	return s.ordered(byID, math.MaxInt, func(r *memory.Row) bool {
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
