package memstore

import (
	"context"
	"fmt"
	"reflect"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Ingest implements storetest.Store.
func (s *Store) Ingest(_ context.Context, b memory.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, change := range book.BatchWrite(b, s.batchRows(book.BatchKeys(b))).Rows {
		s.applyChange(change)
	}
	return nil
}

// Amend implements storetest.Store.
func (s *Store) Amend(_ context.Context, id string, c memory.Change) (before, after memory.Memory, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row, isThere := s.stored(id)
	if !isThere {
		return before, after, fmt.Errorf("change memory %s: %w", id, memory.ErrNotFound)
	}
	others := map[string]memory.Row{}
	if after, err = c.Apply(row.Memory); err == nil {
		if other, isThere := s.stored(after.ID); isThere {
			others[after.ID] = other
		}
	}
	w, after, err := book.ChangeWrite(row, others, c)
	if _, isMade := s.runs[c.ID]; isMade {
		return row.Memory, after, err
	}
	for _, change := range w.Rows {
		s.applyChange(change)
	}
	return row.Memory, after, err
}

// batchRows are the rows with some keys.
func (s *Store) batchRows(k book.Keys) book.BatchRows {
	rows := book.BatchRows{
		Projects: among(s.projects, k.Projects), Sessions: among(s.sessions, k.Sessions),
		Queued: among(s.distillations, k.Queued), Memories: map[string]memory.Row{}, Uses: map[memory.Use]bool{},
	}
	for _, id := range k.Memories {
		row, isThere := s.stored(id)
		if !isThere {
			continue
		}
		rows.Memories[id] = row
		if survivor, isThere := s.stored(row.MergedInto); isThere {
			rows.Memories[row.MergedInto] = survivor
		}
	}
	for _, u := range k.Uses {
		rows.Uses[memory.Use{Memory: u.Memory, Session: u.Session}] = s.uses[useKey(u)]
	}
	return rows
}

// among are the rows of a table with some keys.
func among[T any](table map[string]T, keys []string) map[string]T {
	found := map[string]T{}
	for _, key := range keys {
		if row, isThere := table[key]; isThere {
			found[key] = row
		}
	}
	return found
}

func useKey(u memory.Use) string { return u.Memory + "\x00" + u.Session }

// applyChange makes a change of one row.
func (s *Store) applyChange(c memory.RowChange) {
	before, isRow := c.Before.(memory.Row)
	switch {
	case isRow && c.After == nil:
		delete(s.memories, before.Memory.ID)
		delete(s.standings, before.Memory.ID)
	case isRow && reflect.DeepEqual(c.Before, c.After):
	case c.After != nil:
		s.apply(c.After)
	}
}

// apply writes one row.
func (s *Store) apply(row any) {
	switch row := row.(type) {
	case memory.Project:
		s.projects[row.Key] = row
	case memory.ActiveDay:
		s.days[row], s.index.days = true, nil
	case memory.File:
		s.files[memory.FileID(row.Project, row.Path)] = row
	case memory.Session:
		s.sessions[row.ID] = row
	case memory.Row:
		s.put(row)
	case memory.Use:
		s.uses[useKey(row)] = true
	case memory.Distillation:
		s.distillations[row.Session] = row
	case memory.Spend:
		s.spend[row.ID] = row
	case memory.Injection:
		s.injected[row.ID] = row
	case memory.Run:
		s.record(row)
	default:
		s.addOnce(row)
	}
}

// addOnce adds a row that never changes, unless it is there.
func (s *Store) addOnce(row any) {
	switch row := row.(type) {
	case memory.Prompt:
		if _, isThere := s.prompts[row.ID]; !isThere {
			s.prompts[row.ID] = row
			s.index.prompts[row.Session] = append(s.index.prompts[row.Session], row.ID)
		}
	case memory.SessionEvent:
		if _, isThere := s.sessionEvents[row.ID]; !isThere {
			s.sessionEvents[row.ID] = row
			s.index.sessionEvents[row.Session] = append(s.index.sessionEvents[row.Session], row.ID)
		}
	case memory.Sighting:
		if _, isThere := s.sightings[row.ID]; !isThere {
			s.sightings[row.ID] = row
			s.index.sighting(row.ID, row)
		}
	}
}
