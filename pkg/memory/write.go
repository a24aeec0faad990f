package memory

import (
	"errors"
	"time"
)

// ErrConflict: rows have changed since a write was made of them. Nothing was written: read them
// and make it again.
var ErrConflict = errors.New("rows have changed meanwhile")

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

// RowChange is a change of one row. The rows are values of this package, each of the type of its
// table: Project, ActiveDay, File, Prompt, SessionEvent, Session, Row, Sighting, Injection, Derivation,
// Supersession, Use, Distillation, Spend, or Run, with the actions. A write whose new Run is there
// was made before, and is not made again.
type RowChange struct {
	// Before is the row as it was when the change was made of it, and must still be; nil: it is
	// new. A new Project, Session, Row or Use must not be there. Of the others the row that is
	// there stays, but for Distillation and Spend, which are replaced.
	Before any
	// After is the row as it becomes; nil: it is deleted. The same as Before: it must be as it was.
	After any
}

// Supersession is the replacement of a memory by another one.
type Supersession struct {
	Memory string    `json:"memory"`
	Old    string    `json:"old"`
	At     time.Time `json:"at"`
}
