package memstore

import (
	"context"
	"fmt"
	"reflect"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Read implements storetest.Store.
func (s *Store) Read(_ context.Context, k memory.Keys) (memory.Rows, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := memory.Rows{
		Projects: among(s.projects, k.Projects), Sessions: among(s.sessions, k.Sessions), Queued: among(s.distillations, k.Queued),
		Memories: map[string]memory.Row{}, Runs: map[string]memory.Run{}, Uses: map[memory.Use]bool{}, Actions: map[string]bool{}, Removed: map[string]bool{},
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
	for _, use := range k.Uses {
		if s.stands(memory.RowChange{After: use}) {
			continue
		}
		rows.Uses[use] = true
	}
	for id, run := range among(s.runs, k.Runs) {
		for _, a := range run.Actions {
			rows.Actions[a.ID] = true
		}
		run.Actions = nil
		rows.Runs[id] = run
	}
	for _, id := range k.Removed {
		rows.Removed[id] = s.removed(id)
	}
	return rows, nil
}

// Apply implements storetest.Store.
func (s *Store) Apply(_ context.Context, w memory.Write) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.Lease != nil && !s.holds(*w.Lease) {
		return memory.ErrLeaseLost
	}
	for _, c := range w.Rows {
		if run, isRun := c.After.(memory.Run); isRun && c.Before == nil && s.runs[run.ID].ID != "" {
			return memory.ErrWritten
		}
		if !s.stands(c) {
			return memory.ErrConflict
		}
	}
	for _, c := range w.Rows {
		s.apply(c)
	}
	if w.Job != nil {
		job := s.jobs[w.Job.Job]
		job.Job, job.Cursor = w.Job.Job, max(job.Cursor, w.Job.Cursor)
		if w.Job.Slot.After(job.Slot) {
			job.Slot = w.Job.Slot
		}
		s.jobs[w.Job.Job] = job
	}
	for id, reading := range w.Due {
		if at := s.memories[id]; at != nil {
			at.DueOn = reading
		}
	}
	return nil
}

// stands reports whether the row of a change is unchanged.
func (s *Store) stands(c memory.RowChange) bool {
	switch before := c.Before.(type) {
	case nil:
		of, id, rows := s.place(c)
		return of.OnConflict != memory.ConflictRefused || !rows.has(id)
	case memory.ProjectRow:
		return c.After == nil || s.projects[before.Key] == before
	case memory.Session:
		return reflect.DeepEqual(s.sessions[before.ID], before)
	case memory.Row:
		row, isThere := s.stored(before.Memory.ID)
		return isThere && row.Cursor == before.Cursor
	}
	return true
}

// place returns where the row of a change is stored.
func (s *Store) place(c memory.RowChange) (of *memory.RowType, id string, rows table) {
	of, isKnown := memory.RowTypeOf(c.Row())
	if !isKnown {
		panic(fmt.Sprintf("a row of the type %T has no table", c.Row()))
	}
	return of, of.ID(c.Row()), s.table(of.Table)
}

// among returns the rows of a table with the given keys.
func among[K comparable, T any](table map[K]T, keys []K) map[K]T {
	found := map[K]T{}
	for _, key := range keys {
		if row, isThere := table[key]; isThere {
			found[key] = row
		}
	}
	return found
}

// apply applies a change of one row.
func (s *Store) apply(c memory.RowChange) {
	if run, isRun := c.After.(memory.Run); isRun {
		s.record(run)
		return
	}
	of, id, rows := s.place(c)
	switch row := c.Row().(type) {
	case memory.ProjectRow:
		if c.After == nil {
			s.purge(row.Key)
			return
		}
		rows.put(id, row)
		if row.MergedInto != "" {
			s.move(row.Key, row.MergedInto)
		}
	case memory.Row:
		switch {
		case c.After == nil:
			delete(s.memories, id)
		case !reflect.DeepEqual(c.Before, c.After):
			s.put(row)
		}
	default:
		switch {
		case c.After == nil:
			rows.drop(id)
			s.reindex()
		case !rows.has(id):
			rows.put(id, row)
			s.indexed(id, row)
		case c.Before != nil || of.OnConflict != memory.ConflictIgnored:
			rows.put(id, row)
		}
	}
}

// indexed adds a new row to the index.
func (s *Store) indexed(id string, row any) {
	switch row := row.(type) {
	case memory.ActiveDay:
		s.index.days = nil
	case memory.Prompt:
		s.index.prompts[row.Session] = append(s.index.prompts[row.Session], id)
	case memory.SessionEvent:
		s.index.sessionEvents[row.Session] = append(s.index.sessionEvents[row.Session], id)
	case memory.Sighting:
		s.index.sighting(id, row)
	}
}
