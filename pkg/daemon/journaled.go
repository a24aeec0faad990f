package daemon

import (
	"context"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

// booked is a store whose writes go through a book, and whose reads go to the store directly.
type booked struct {
	reads
	*book.Book
}

// reads embeds a Store one level deeper, so that the methods of booked's Book win over the store's own.
type reads struct{ Store }

// BookOf returns a store whose changes are also written to a journal, in the order of the commits.
func BookOf(store Store, l *journal.Ledger) Store {
	return booked{reads{store}, book.New(&Journaled{store, l})}
}

// Journaled is a store that also writes its changes to the journal, in the order of the commits, so that a rebuilt
// store is equal. The journal has no injections, no leases and no progress of jobs.
type Journaled struct {
	Store
	Ledger *journal.Ledger // nil: there is no journal
}

func (s *Journaled) Apply(ctx context.Context, w memory.Write) error {
	deleted := w.DeletedProjects()
	if len(deleted) == 0 {
		return s.Ledger.Write(ctx, s.Store, w, nil)
	}
	gone := purge{memory.Sweep{Projects: map[string]bool{}}}
	for _, key := range deleted {
		gone.Projects[key] = true
	}
	if !gone.Projects[""] {
		if err := s.find(ctx, &gone); err != nil {
			return err
		}
	}
	return s.Ledger.Write(ctx, s.Store, w, gone.rest)
}

// find adds to a purge the sessions and memories of its projects, but not the memories of user scope, which stay.
func (s *Journaled) find(ctx context.Context, gone *purge) error {
	isSession := map[string]bool{}
	gone.Memories, gone.IsSession = map[string]bool{}, func(id string) bool { return isSession[id] }
	for _, project := range slices.Sorted(maps.Keys(gone.Projects)) {
		sessions, err := s.Sessions(ctx, memory.LastSessions{Project: project, Limit: math.MaxInt32})
		if err != nil {
			return err
		}
		for _, one := range sessions {
			isSession[one.ID] = true
		}
	}
	if err := s.Ledger.Each(func(r journal.Record) { gone.note(r, isSession) }); err != nil {
		return err
	}
	users, err := memory.Memories(ctx, s, memory.Filter{Scope: memory.ScopeUser, Limit: math.MaxInt32})
	for _, m := range users {
		delete(gone.Memories, m.ID)
	}
	return err
}

// purge removes purged rows from a journal's records.
type purge struct{ memory.Sweep }

// note adds the sessions and memories in a record that belong to a purged project.
func (p purge) note(r journal.Record, sessions map[string]bool) {
	switch row := r.After.(type) {
	case memory.Session:
		if p.Projects[row.Project] {
			sessions[row.ID] = true
		}
	case memory.Row:
		if p.Projects[row.Memory.Project] {
			p.Memories[row.Memory.ID] = true
		}
	}
}

// rest returns a record as the purge leaves it (empty if nothing stays), and whether it differs.
func (p purge) rest(r journal.Record) (journal.Record, bool) {
	if p.Projects[""] {
		return journal.Record{}, true
	}
	left := p.Rest(r.After)
	if row, isRow := r.After.(memory.Row); isRow && left == nil && p.Memories[row.Memory.ID] && r.Before != nil {
		// An older backup may still have the memory in another project. This record, without its texts, makes a rebuild move
		// the memory into the purged project, whose rows the rebuild deletes.
		row.Memory.Session = ""
		left = memory.CleanedTexts(row, func(string) string { return "" })
	}
	if reflect.DeepEqual(left, r.After) {
		return r, false
	}
	if left == nil {
		return journal.Record{}, true
	}
	r.After = left
	return r, true
}
