package memstore

import (
	"context"
	"reflect"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Read implements storetest.Store.
func (s *Store) Read(_ context.Context, k memory.Keys) (memory.Rows, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := memory.Rows{
		Projects: among(s.projects, k.Projects), Sessions: among(s.sessions, k.Sessions), Queued: among(s.distillations, k.Queued),
		Memories: map[string]memory.Row{}, Runs: map[string]memory.Run{}, Uses: among(s.uses, k.Uses), Actions: map[string]bool{}, Removed: map[string]bool{},
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
		s.applyChange(c)
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
		if at := s.standings[id]; at != nil {
			at.DueOn = reading
		}
	}
	return nil
}

// stands reports whether the row of a change is as it was.
func (s *Store) stands(c memory.RowChange) bool {
	if c.Before == nil {
		switch after := c.After.(type) {
		case memory.ProjectRow:
			_, isThere := s.projects[after.Key]
			return !isThere
		case memory.Session:
			_, isThere := s.sessions[after.ID]
			return !isThere
		case memory.Row:
			_, isThere := s.memories[after.Memory.ID]
			return !isThere
		case memory.Use:
			return !s.uses[after.Key()]
		}
		return true
	}
	switch before := c.Before.(type) {
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

// among are the rows of a table with some keys.
func among[K comparable, T any](table map[K]T, keys []K) map[K]T {
	found := map[K]T{}
	for _, key := range keys {
		if row, isThere := table[key]; isThere {
			found[key] = row
		}
	}
	return found
}

// applyChange makes a change of one row.
func (s *Store) applyChange(c memory.RowChange) {
	before, isRow := c.Before.(memory.Row)
	project, isProject := c.Before.(memory.ProjectRow)
	switch {
	case isRow && c.After == nil:
		delete(s.memories, before.Memory.ID)
		delete(s.standings, before.Memory.ID)
	case isProject && c.After == nil:
		s.purge(project.Key)
	case isRow && reflect.DeepEqual(c.Before, c.After):
	case c.After != nil:
		s.apply(c.After)
	}
}

// apply writes one row.
func (s *Store) apply(row any) {
	switch row := row.(type) {
	case memory.ProjectRow:
		s.projects[row.Key] = row
		if row.MergedInto != "" {
			s.move(row.Key, row.MergedInto)
		}
	case memory.ActiveDay:
		s.days[row], s.index.days = true, nil
	case memory.File:
		s.files[memory.FileID(row.Project, row.Path)] = row
	case memory.Session:
		s.sessions[row.ID] = row
	case memory.Row:
		s.put(row)
	case memory.Use:
		s.uses[row.Key()] = true
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
