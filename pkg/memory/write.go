package memory

import (
	"errors"
)

// ErrConflict: rows have changed since the write was built from them. Nothing was written; read them and build it again.
var ErrConflict = errors.New("rows have changed meanwhile")

// ErrWritten: the run of the write exists, so it was applied before. Nothing was written.
var ErrWritten = errors.New("this was written before")

// Write is one change of a store, applied as a whole or not at all.
type Write struct {
	Rows []RowChange
	// Lease, if set, must still be held, or nothing is written: ErrLeaseLost.
	Lease *Lease
	// Job, if set, is a job's new progress; it never goes back.
	Job *JobState
}

func (w Write) DeletedProjects() (keys []string) {
	for _, c := range w.Rows {
		if p, isProject := c.Before.(ProjectRow); isProject && c.After == nil {
			keys = append(keys, p.Key)
		}
	}
	return keys
}

// RowChange is a change of one row of a type in rowTypes. A Run includes its actions; if a new Run exists already, the
// write was applied before: ErrWritten.
type RowChange struct {
	// Before is the row that the change was built from. The columns that its type compares must still be the same.
	// nil: the row is new.
	Before any
	// After is the new row; nil: the row is deleted. Equal to Before: the row is only compared.
	After any
}

// Row returns the new row, or the deleted row.
func (c RowChange) Row() any {
	if c.After != nil {
		return c.After
	}
	return c.Before
}

// ProjectRow is a project as it is stored. Writing a row with MergedInto moves everything under its key to that project.
// Deleting one deletes everything under its key for good, including the records of changes but not the user's memories;
// deleting the row with the empty key deletes everything. Such a write contains nothing else, compares no rows, and may
// be repeated after an interruption.
type ProjectRow struct {
	Project
	// MergedInto is the key of the project that this one became part of; empty for none.
	MergedInto string `json:"merged_into,omitempty" column:"merged_into,optional" holds:"id"`
}

// Keys are keys of rows, by table.
type Keys struct {
	Projects, Sessions, Memories, Queued, Runs []string
	Uses                                       []Use // each with a memory and a session only
	Actions                                    []string
	Jobs                                       []string // names
	Replaced                                   []string // ids of memories: the memories that they superseded, or that were merged into them
}

// Rows has rows by their keys; keys without a row are left out. It also has the memory into which a requested one was
// merged. Memories come without the counts of sessions and projects, runs without their actions.
type Rows struct {
	Projects map[string]ProjectRow
	Sessions map[string]Session
	Memories map[string]Row
	Queued   map[string]Distillation
	Runs     map[string]Run
	Uses     map[Use]bool        // each with a memory and a session only
	Actions  map[string]bool     // the ids of recorded actions
	Jobs     map[string]JobState // a job that never ran has none
}

func (k *Keys) Add(row any) {
	switch row := row.(type) {
	case ProjectRow:
		k.Projects = append(k.Projects, row.Key)
	case Session:
		k.Sessions = append(k.Sessions, row.ID)
	case Row:
		k.Memories = append(k.Memories, row.Memory.ID)
	case Use:
		k.Uses = append(k.Uses, row.Key())
	case Run:
		k.Runs = append(k.Runs, row.ID)
	}
}

// Stored returns the stored row with the same key, or nil if there is none; for a use, only the key. isRead is false for
// types of rows that Keys.Add does not add.
func (r Rows) Stored(row any) (stored any, isRead bool) {
	switch row := row.(type) {
	case ProjectRow:
		return found(r.Projects, row.Key), true
	case Session:
		return found(r.Sessions, row.ID), true
	case Row:
		return found(r.Memories, row.Memory.ID), true
	case Use:
		if r.Uses[row.Key()] {
			return row.Key(), true
		}
		return nil, true
	case Run:
		return found(r.Runs, row.ID), true
	}
	return nil, false
}

func found[T any](rows map[string]T, key string) any {
	if row, isThere := rows[key]; isThere {
		return row
	}
	return nil
}
