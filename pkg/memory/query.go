package memory

import (
	"context"
	"fmt"
	"time"
)

// RowQuery selects rows of memories: one of the types below. The numbers of sessions and projects of the rows are those
// that are stored, but for WithIDs.
type RowQuery interface{ selectsRows() }

// WithIDs selects the rows with these ids, in any order, and has their sessions and projects counted anew from the
// sightings.
type WithIDs []string

// Beginning selects the memories of all projects whose ids are, or begin with, this one, at most MostBeginning, in the
// order of their ids.
type Beginning string

// Filter selects memories, the most important and then the newest first; an empty field selects all.
type Filter struct {
	Project  string // all if empty
	Scope    Scope  // all if empty; the user's own memories have no project
	Kinds    []Kind
	Statuses []Status
	Limit    int // 0 means DefaultLimit
}

// DefaultLimit is the number of rows of a query without a limit.
const DefaultLimit = 100

// Judged selects the memories with the tag confirmed or rejected, of all projects, in any order; not forgotten ones.
type Judged struct{}

// Around selects the active memories of a project that were last seen around a time, the oldest first: at most Before
// until then, that instant included, and After later ones.
type Around struct {
	Project       string
	At            time.Time
	Before, After int
}

// Due selects the active and archived rows of projects whose strength is to be looked at, the longest due first.
type Due struct {
	// Readings are those of the projects' clocks, by their keys ("" for the user's), by which the rows are due.
	Readings map[string]float64
	Limit    int // of each project
}

// Uncounted selects rows whose tokens were not counted by an encoding, in any order.
type Uncounted struct {
	Encoding string
	Limit    int
}

// Page selects rows of one status of a project (of the user for ""), in the order of PageOrder: the one retired last
// first, or where none was retired the one seen last. The cost does not grow with the number of the others.
type Page struct {
	Project string
	Status  Status
	After   string // the PageOrder of the last row of the page before; empty for the first page
	Limit   int
	Bare    bool // the texts may be left out
}

// All selects all rows, in the order of their ids: reading them in any other order costs three times as much.
type All struct {
	After string // the id of the last row of the page before; empty for the first page
	Limit int
	Bare  bool // the texts may be left out
}

// Start selects the active memories that a session of a project may start with: of the project and of the user, of
// each of StartKinds, facts and others, up to Limit each, the best first; and the failures of the project that recall may
// return.
type Start struct {
	Project string
	Limit   int
}

func (WithIDs) selectsRows()   {}
func (Beginning) selectsRows() {}
func (Filter) selectsRows()    {}
func (Judged) selectsRows()    {}
func (Around) selectsRows()    {}
func (Due) selectsRows()       {}
func (Uncounted) selectsRows() {}
func (Page) selectsRows()      {}
func (All) selectsRows()       {}
func (Start) selectsRows()     {}

// SessionQuery selects sessions: SessionIDs, Silent, Summarised or LastSessions.
type SessionQuery interface{ selectsSessions() }

// SessionIDs selects the sessions with these ids, in any order.
type SessionIDs []string

// Silent selects the sessions that are not over and had no event since a time, in any order. Their digests may be left
// out.
type Silent struct {
	Since time.Time
	Limit int // 0 means DefaultLimit
}

// Summarised selects the sessions of a project that are over and have a summary, the newest first. Their digests may be
// left out.
type Summarised struct {
	Project string
	Limit   int // 0 means DefaultLimit
}

// LastSessions selects the sessions of a project, of all for "", the newest first.
type LastSessions struct {
	Project string
	Limit   int  // 0 means DefaultLimit
	Counted bool // has their prompts and notifications counted
}

func (SessionIDs) selectsSessions()   {}
func (Silent) selectsSessions()       {}
func (Summarised) selectsSessions()   {}
func (LastSessions) selectsSessions() {}

// PageOrder is the place of a row among those of its status: a text that sorts.
func PageOrder(row Row) string {
	at := row.RetiredAt
	if at.IsZero() {
		at = row.Memory.LastSeenAt
	}
	return fmt.Sprint(9999999999-at.Unix()) + row.Memory.ID
}

// RowReader reads rows of memories.
type RowReader interface {
	Rows(ctx context.Context, q RowQuery) ([]Row, error)
}

// Memories are the memories that a query selects.
func Memories(ctx context.Context, reader RowReader, q RowQuery) ([]Memory, error) {
	rows, err := reader.Rows(ctx, q)
	memories := make([]Memory, 0, len(rows))
	for _, row := range rows {
		memories = append(memories, row.Memory)
	}
	return memories, err
}
