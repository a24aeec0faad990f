package memory

import (
	"errors"
	"time"
)

// ErrConflict: rows have changed since a write was made of them. Nothing was written: read them
// and make it again.
var ErrConflict = errors.New("rows have changed meanwhile")

// ErrWritten: the run of a write is there already, so that it was made before. Nothing was written.
var ErrWritten = errors.New("this was written before")

// Write is one change of a store: all of its rows are written, or none.
type Write struct {
	Rows []RowChange
	// Lease, if set, must still be held, or nothing is written: ErrLeaseLost.
	Lease *Lease
	// Job, if set, is where a job stands afterwards, if it did not stand further already.
	Job *JobState
	// Due are readings of their clocks by which rows, by their ids, are to be looked at next. It is no change of a row.
	Due map[string]float64
}

// DeletedProjects are the keys of the projects that the write deletes.
func (w Write) DeletedProjects() (keys []string) {
	for _, c := range w.Rows {
		if p, isProject := c.Before.(ProjectRow); isProject && c.After == nil {
			keys = append(keys, p.Key)
		}
	}
	return keys
}

// RowChange is a change of one row, whose type is one of rowTypes. A Run has its actions with it; a write whose
// new Run is there was made before: ErrWritten.
type RowChange struct {
	// Before is the row as it was when the change was made of it, and must still be, as far as its type has
	// it compared; nil: it is new.
	Before any
	// After is the row as it becomes; nil: it is deleted. The same as Before: it must be as it was.
	After any
}

// Row is the row of a change as it becomes, or else the one that is deleted.
func (c RowChange) Row() any {
	if c.After != nil {
		return c.After
	}
	return c.Before
}

// ProjectRow is a project as it is stored. A row with MergedInto gives all that is stored under its key to
// that project, whenever it is written. With a row all that is stored under its key is deleted for good, the
// records of changes included, but memories of the user; with the row of the empty key, everything. Such a
// write holds nothing else, does not compare the rows, and may be applied again where it was interrupted.
type ProjectRow struct {
	Project
	// GivenName is the name that somebody gave the project; empty for none.
	GivenName string `json:"given_name,omitempty" column:"given_name,optional"`
	// MergedInto is the key of the project that this one has become part of; empty for none.
	MergedInto string `json:"merged_into,omitempty" column:"merged_into,optional"`
}

// Supersession is the replacement of a memory by another one.
type Supersession struct {
	Memory string    `json:"memory" column:"in,of memory"`
	Old    string    `json:"old" column:"out,of memory"`
	At     time.Time `json:"at"`
}

// Keys are the keys of rows, by table.
type Keys struct {
	Projects, Sessions, Memories, Queued, Runs []string
	Uses                                       []Use // only with a memory and a session
	Actions                                    []string
	Removed                                    []string // memories that may have been removed
}

// Rows are the rows with some keys, those of them that are there. With a memory comes the one that it was
// merged into. Memories have no numbers of sessions and projects, and runs no actions.
type Rows struct {
	Projects map[string]ProjectRow
	Sessions map[string]Session
	Memories map[string]Row
	Queued   map[string]Distillation
	Runs     map[string]Run
	Uses     map[Use]bool    // only with a memory and a session
	Actions  map[string]bool // the ids of recorded actions
	Removed  map[string]bool // memories that a recorded action removed
}

// Add adds the key of a row, if it is of a table that Rows has.
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

// Stored is the row with the key of another one, of a use only this key, or nil if it is not there; false: Keys.Add
// adds none of its type.
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
