package agent

import (
	"context"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// booked is a store whose changes are made by a book over it, and journaled.
type booked struct {
	reads
	book.Writer
}

// reads has the methods of a store, below those of booked.
type reads struct{ Store }

func bookOf(store Store, l *journal.Ledger) Store {
	return booked{reads{store}, book.New(&journaled{store, l})}
}

// journaled is a store that journals its writes, in the order of the commits, so that a
// rebuilt store is the same. Not journaled are rows that follow from the rest or are only held for a time:
// where jobs stand, when rows are looked at next, keys of near-duplicates, leases; and
// injections.
type journaled struct {
	Store
	ledger *journal.Ledger // nil: there is no journal
}

// Apply implements book.Store.
func (s *journaled) Apply(ctx context.Context, w memory.Write) error {
	commit := func() error { return s.Store.Apply(ctx, w) }
	deleted := w.DeletedProjects()
	if len(deleted) == 0 {
		return s.ledger.Write(w, commit)
	}
	gone := purge{projects: map[string]bool{}}
	for _, key := range deleted {
		gone.projects[key] = true
	}
	if !gone.projects[""] {
		if err := s.find(ctx, &gone); err != nil {
			return err
		}
	}
	return s.ledger.Forget(w, gone.rest, commit)
}

// purge is the set of rows to purge: projects, their sessions, and the memories that were theirs at some time. The
// project of the empty key is everything.
type purge struct {
	projects map[string]bool
	sessions map[string]bool
	memories map[string]bool
}

// find fills a purge with its sessions and memories. The user's memories stay.
func (s *journaled) find(ctx context.Context, gone *purge) error {
	gone.sessions, gone.memories = map[string]bool{}, map[string]bool{}
	for _, project := range slices.Sorted(maps.Keys(gone.projects)) {
		sessions, err := s.Sessions(ctx, memory.LastSessions{Project: project, Limit: math.MaxInt32})
		if err != nil {
			return err
		}
		for _, one := range sessions {
			gone.sessions[one.ID] = true
		}
	}
	if err := s.ledger.Each(gone.note); err != nil {
		return err
	}
	users, err := memory.Memories(ctx, s, memory.Filter{Scope: memory.ScopeUser, Limit: math.MaxInt32})
	for _, m := range users {
		delete(gone.memories, m.ID)
	}
	return err
}

// note notes the sessions and memories of a record that were of one of the projects.
func (p purge) note(r journal.Record) {
	switch row := r.After.(type) {
	case memory.Session:
		if p.projects[row.Project] {
			p.sessions[row.ID] = true
		}
	case memory.Row:
		if p.projects[row.Memory.Project] {
			p.memories[row.Memory.ID] = true
		}
	case memory.Run:
		for _, a := range row.Actions {
			if a.Row != nil && p.projects[a.Row.Memory.Project] {
				p.memories[a.Memory] = true
			}
		}
	}
}

// rest is the part of a record that stays, and whether that differs from it.
func (p purge) rest(r journal.Record) (journal.Record, bool) {
	if p.projects[""] {
		return journal.Record{}, true
	}
	switch row := r.After.(type) {
	case memory.Row:
		if !p.projects[row.Memory.Project] && !p.memories[row.Memory.ID] {
			return r, false
		}
		if !p.memories[row.Memory.ID] || r.Before == nil { // the user's, or a new one
			return journal.Record{}, true
		}
		bare := withoutTexts(row) // a backup may have it: this moves it to where it is purged
		r.After = bare
		return r, !reflect.DeepEqual(bare, row)
	case memory.Spend:
		if !p.sessions[row.Session] { // the tokens stay spent
			return r, false
		}
		row.Session = ""
		r.After = row
		return r, true
	case memory.Run:
		left := slices.DeleteFunc(slices.Clone(row.Actions), func(a memory.Action) bool {
			return p.memories[a.Memory] || a.Row != nil && p.projects[a.Row.Memory.Project]
		})
		differs := len(left) < len(row.Actions)
		row.Actions = left
		r.After = row
		return r, differs
	}
	if of, isKnown := memory.RowTypeOf(r.After); isKnown && p.has(of.Subject(r.After)) {
		return journal.Record{}, true
	}
	return r, false
}

func (p purge) has(s memory.Subject) bool {
	return p.projects[s.Project] || p.sessions[s.Session] || slices.ContainsFunc(s.Memories, func(id string) bool { return p.memories[id] })
}

// withoutTexts is the row of a memory that is to be purged, without its texts.
func withoutTexts(row memory.Row) memory.Row {
	m := row.Memory
	row.Memory = memory.Memory{
		ID: m.ID, Project: m.Project, Scope: m.Scope, Type: m.Type, Kind: m.Kind, Status: m.Status, Source: m.Source,
		CreatedAt: m.CreatedAt, LastSeenAt: m.LastSeenAt,
	}
	return row
}
