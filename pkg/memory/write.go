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

// RowChange is a change of one row. The rows are values of this package, each of the type of its
// table: ProjectRow, ActiveDay, File, Prompt, SessionEvent, Session, Row, Sighting, Injection, Derivation,
// Supersession, Use, Distillation, Spend, or Run, with the actions. A write whose new Run is there
// was made before: ErrWritten.
type RowChange struct {
	// Before is the row as it was when the change was made of it, and must still be; nil: it is
	// new. A new ProjectRow, Session, Row or Use must not be there. Of the others the row that is
	// there stays, but for Distillation and Spend, which are replaced.
	Before any
	// After is the row as it becomes; nil: it is deleted. The same as Before: it must be as it was.
	After any
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
	Memory string    `json:"memory"`
	Old    string    `json:"old"`
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
