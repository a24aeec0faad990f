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
	deleted := w.DeletedProjects()
	if len(deleted) == 0 {
		return s.ledger.Write(ctx, s.Store, w, nil)
	}
	gone := purge{memory.Purge{Projects: map[string]bool{}}}
	for _, key := range deleted {
		gone.Projects[key] = true
	}
	if !gone.Projects[""] {
		if err := s.find(ctx, &gone); err != nil {
			return err
		}
	}
	return s.ledger.Write(ctx, s.Store, w, gone.rest)
}

// purge filters the records of a journal.
type purge struct{ memory.Purge }

// find fills a purge with its sessions and memories. The user's memories stay.
func (s *journaled) find(ctx context.Context, gone *purge) error {
	gone.Sessions, gone.Memories = map[string]bool{}, map[string]bool{}
	for _, project := range slices.Sorted(maps.Keys(gone.Projects)) {
		sessions, err := s.Sessions(ctx, memory.LastSessions{Project: project, Limit: math.MaxInt32})
		if err != nil {
			return err
		}
		for _, one := range sessions {
			gone.Sessions[one.ID] = true
		}
	}
	if err := s.ledger.Each(gone.note); err != nil {
		return err
	}
	users, err := memory.Memories(ctx, s, memory.Filter{Scope: memory.ScopeUser, Limit: math.MaxInt32})
	for _, m := range users {
		delete(gone.Memories, m.ID)
	}
	return err
}

// note notes the sessions and memories of a record that were of one of the projects.
func (p purge) note(r journal.Record) {
	switch row := r.After.(type) {
	case memory.Session:
		if p.Projects[row.Project] {
			p.Sessions[row.ID] = true
		}
	case memory.Row:
		if p.Projects[row.Memory.Project] {
			p.Memories[row.Memory.ID] = true
		}
	case memory.Run:
		for _, a := range row.Actions {
			if a.Row != nil && p.Projects[a.Row.Memory.Project] {
				p.Memories[a.Memory] = true
			}
		}
	}
}

// rest is the part of a record that stays, and whether that differs from it.
func (p purge) rest(r journal.Record) (journal.Record, bool) {
	if p.Projects[""] {
		return journal.Record{}, true
	}
	left := p.Rest(r.After)
	if row, isRow := r.After.(memory.Row); isRow && left == nil && p.Memories[row.Memory.ID] && r.Before != nil {
		left = withoutTexts(row) // a backup may have it: this moves it to where it is purged
	}
	if reflect.DeepEqual(left, r.After) {
		return r, false
	}
	if left == nil { // or the user's, or new
		return journal.Record{}, true
	}
	r.After = left
	return r, true
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
