package memstore

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Read implements storetest.Store.
func (s *Store) Read(_ context.Context, k memory.Keys) (memory.Rows, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := memory.Rows{
		Projects: among[memory.ProjectRow](s.tables, "project", k.Projects), Sessions: among[memory.Session](s.tables, "session", k.Sessions),
		Queued: among[memory.Distillation](s.tables, "distillation", k.Queued), Runs: among[memory.Run](s.tables, "maintenance_run", k.Runs),
		Memories: map[string]memory.Row{}, Uses: map[memory.Use]bool{}, Actions: map[string]bool{}, Removed: map[string]bool{},
	}
	for id, row := range among[*memory.Row](s.tables, "memory", k.Memories) {
		rows.Memories[id] = *row
		if target := s.tables.memory(row.MergedInto); target != nil {
			rows.Memories[row.MergedInto] = *target
		}
	}
	for _, use := range k.Uses {
		if !s.stands(memory.RowChange{After: use}) {
			rows.Uses[use] = true
		}
	}
	for id, run := range rows.Runs {
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

// removed reports whether somebody undid the run that had created a memory: no run
// creates it again.
func (s *Store) removed(id string) bool {
	for run := range all[memory.Run](s.tables, "maintenance_run") {
		if slices.ContainsFunc(run.Actions, func(a memory.Action) bool { return a.Memory == id && a.Kind == memory.ActionRemove }) {
			return true
		}
	}
	return false
}

// Apply implements storetest.Store.
func (s *Store) Apply(_ context.Context, w memory.Write) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.Lease != nil && !s.holds(*w.Lease) {
		return memory.ErrLeaseLost
	}
	for _, c := range w.Rows {
		if run, isRun := c.After.(memory.Run); isRun && c.Before == nil && s.tables["maintenance_run"][run.ID] != nil {
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
		job, _ := get[memory.JobState](s.tables, jobTable, w.Job.Job)
		job.Job, job.Cursor = w.Job.Job, max(job.Cursor, w.Job.Cursor)
		if w.Job.Slot.After(job.Slot) {
			job.Slot = w.Job.Slot
		}
		s.tables[jobTable][w.Job.Job] = job
	}
	for id, reading := range w.Due {
		if row := s.tables.memory(id); row != nil {
			row.DueOn = reading
		}
	}
	return nil
}

// stands reports whether the row of a change is unchanged.
func (s *Store) stands(c memory.RowChange) bool {
	of, id := place(c)
	stored, isThere := s.tables[of.Table][id]
	switch before := c.Before.(type) {
	case nil:
		return of.OnConflict != memory.ConflictRefused || !isThere
	case memory.ProjectRow:
		return c.After == nil || stored == before
	case memory.Session:
		return reflect.DeepEqual(stored, before)
	case memory.Row:
		row := s.tables.memory(id)
		return row != nil && row.Cursor == before.Cursor
	}
	return true
}

// place returns the table and the id of the row of a change.
func place(c memory.RowChange) (of *memory.RowType, id string) {
	of, isKnown := memory.RowTypeOf(c.Row())
	if !isKnown {
		panic(fmt.Sprintf("a row of the type %T has no table", c.Row()))
	}
	return of, of.ID(c.Row())
}

// apply applies a change of one row.
func (s *Store) apply(c memory.RowChange) {
	of, id := place(c)
	rows := s.tables[of.Table]
	if p, isProject := c.Before.(memory.ProjectRow); isProject && c.After == nil {
		s.purge(p.Key)
		return
	}
	if c.After == nil {
		if delete(rows, id); of.Table != "memory" { // readers of the index look a memory up
			s.reindex()
		}
		return
	}
	_, isThere := rows[id]
	switch row := c.After.(type) {
	case memory.ProjectRow:
		rows[id] = row
		if row.MergedInto != "" {
			s.move(row.Key, row.MergedInto)
		}
	case memory.Row:
		if !reflect.DeepEqual(c.Before, c.After) {
			rows[id] = &row
			s.index.merged(id, row.MergedInto)
			s.touch(&row)
		}
	case memory.Run: // or a step of one
		before, _ := get[memory.Run](s.tables, of.Table, id)
		row.Actions = slices.Concat(before.Actions, row.Actions)
		rows[id] = row
		s.index.add(of, id, row)
	default:
		if !isThere {
			s.index.add(of, id, row)
		}
		if !isThere || c.Before != nil || of.OnConflict != memory.ConflictIgnored {
			rows[id] = row
		}
	}
}

func (s *Store) move(from, into string) {
	for _, of := range memory.RowTypes() {
		for id, row := range s.tables[of.Table] {
			switch one := row.(type) {
			case *memory.Row:
				if one.Memory.Project == from {
					one.Memory.Project, one.UsedOn = into, -1
					if one.Home == from {
						one.Home = into
					}
					s.touch(one)
				}
			case memory.ActiveDay:
				if one.Project == from {
					delete(s.tables[of.Table], id)
					s.apply(memory.RowChange{After: memory.ActiveDay{Project: into, Day: one.Day}})
				}
			default:
				if project := column(of, "project"); project != nil && of.Subject(row).Project == from {
					moved := reflect.New(reflect.TypeOf(row)).Elem()
					moved.Set(reflect.ValueOf(row))
					moved.FieldByIndex(project.Field).SetString(into)
					s.tables[of.Table][id] = moved.Interface()
				}
			}
		}
	}
}

// column returns a column of a type of rows, or nil.
func column(of *memory.RowType, name string) *memory.Column {
	i := slices.IndexFunc(of.Columns, func(c memory.Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &of.Columns[i]
}

// purge deletes the rows of a project, or all for "".
func (s *Store) purge(key string) {
	gone := memory.Purge{Projects: map[string]bool{key: true}, Sessions: map[string]bool{}, Memories: map[string]bool{}}
	for one := range all[memory.Session](s.tables, "session") {
		gone.Sessions[one.ID] = one.Project == key
	}
	for row := range all[*memory.Row](s.tables, "memory") {
		gone.Memories[row.Memory.ID] = row.Memory.Project == key
	}
	for _, of := range memory.RowTypes() {
		rows := s.tables[of.Table]
		for id, row := range rows {
			rest := gone.Rest(row)
			if _, isMemory := row.(*memory.Row); key == "" || rest == nil || isMemory && gone.Memories[id] {
				delete(rows, id)
			} else {
				rows[id] = rest
			}
		}
	}
	s.reindex()
}
