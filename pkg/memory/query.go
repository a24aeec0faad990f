package memory

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// RowQuery is one of the types below, which select rows of memories. Row.Sessions and Row.Projects are as they were last
// stored; only WithIDs counts them anew.
type RowQuery interface{ selectsRows() }

// WithIDs selects the rows with these ids, in any order, and counts their sessions and projects again from the sightings.
type WithIDs []string

// IDPrefix selects the memories of all projects whose ids begin with this text, at most MaxPrefixMatches, ordered by id.
type IDPrefix string

// Filter selects memories, the most important and then the newest first; an empty field selects all.
type Filter struct {
	Project  string // empty: all projects
	Scope    Scope  // empty: all scopes; the user's own memories have no project
	Kinds    []Kind
	Statuses []Status
	Limit    int // 0 means DefaultLimit
}

// DefaultLimit is the number of rows of a query without a limit.
const DefaultLimit = 100

// Page selects the rows of a project (of the user for "") with one status, the latest first: by the time of retirement for
// retired rows, else by the last sighting (see PageOrder). Its cost does not depend on the number of other rows.
type Page struct {
	Project string
	Status  Status
	After   string // the PageOrder of the last row of the page before; empty for the first page
	Limit   int
}

func (WithIDs) selectsRows()  {}
func (IDPrefix) selectsRows() {}
func (Filter) selectsRows()   {}
func (Page) selectsRows()     {}

// SessionQuery selects sessions: SessionIDs, OfPrompts, IdleSessions, Summarised or LastSessions.
type SessionQuery interface{ selectsSessions() }

// SessionIDs selects the sessions with these ids, in any order.
type SessionIDs []string

// OfPrompts selects the sessions of the prompts with these ids, in any order.
type OfPrompts []string

// IdleSessions selects the unfinished sessions without an event since a time, in any order. Their digests may be left out.
type IdleSessions struct {
	Since time.Time
	Limit int // 0 means DefaultLimit
}

// Summarised selects the finished sessions of a project that have a summary, the newest first. Their digests may be left out.
type Summarised struct {
	Project string
	Limit   int // 0 means DefaultLimit
}

// LastSessions selects the sessions of a project, of all for "", the newest first.
type LastSessions struct {
	Project string
	Limit   int  // 0 means DefaultLimit
	Counted bool // count their prompts
}

func (SessionIDs) selectsSessions()   {}
func (OfPrompts) selectsSessions()    {}
func (IdleSessions) selectsSessions() {}
func (Summarised) selectsSessions()   {}
func (LastSessions) selectsSessions() {}

// RecordQuery selects records of sessions: RecordsOf, ProjectRecords or InjectedInto.
type RecordQuery interface{ selectsRecords() }

// RecordsOf selects the whole records, without injections, of the sessions with these ids, in their order. Missing
// sessions are left out.
type RecordsOf []string

// ProjectRecords selects all that was said in the sessions of a project: their records without memories, in any order.
type ProjectRecords string

// InjectedInto selects the injections into a session and its subagents at or after From, the oldest first. The result is one record with only these injections and the session's id.
type InjectedInto struct {
	Session string
	From    time.Time
}

func (RecordsOf) selectsRecords()      {}
func (ProjectRecords) selectsRecords() {}
func (InjectedInto) selectsRecords()   {}

// TotalsQuery selects what Totals counts or sums up. It is one of the types below or SpendQuery.
type TotalsQuery interface{ selectsTotals() }

// Counts counts the rows of a project, or of the whole store for "". A merged or unknown project has none.
type Counts string

// ActiveDays asks for the days on which something happened in each project.
type ActiveDays struct{}

func (Counts) selectsTotals()     {}
func (ActiveDays) selectsTotals() {}
func (SpendQuery) selectsTotals() {}

// Totals has the fields that the type of its query asks for.
type Totals struct {
	Stats
	Days  map[string][]string // UTC days by project, sorted
	Spent []SpendTotal        // ordered by day
}

type TotalsReader interface {
	Totals(ctx context.Context, q TotalsQuery) (Totals, error)
}

// PageOrder returns a row's sort key among the rows with the same status.
func PageOrder(row Row) string {
	at := row.RetiredAt
	if at.IsZero() {
		at = row.Memory.LastSeenAt
	}
	return fmt.Sprint(9999999999-at.Unix()) + row.Memory.ID
}

type RowReader interface {
	Rows(ctx context.Context, q RowQuery) ([]Row, error)
}

// PageRows is the number of rows that are read at once, to limit the memory of engine and daemon.
const PageRows = 1000

// EachRecallable calls visit with the recallable rows (Memory.IsRecallable) of the user and then of a project, the last seen first, in pages of
// at most size rows, and returns the first error. A row that changes meanwhile appears in its old or new state, twice, or not.
func EachRecallable(ctx context.Context, reader RowReader, project string, size int, visit func([]Row) error) error {
	for _, owner := range slices.Compact([]string{"", project}) {
		for page := (Page{Project: owner, Status: StatusActive, Limit: size}); ; {
			rows, err := reader.Rows(ctx, page)
			if err == nil && len(rows) > 0 {
				err = visit(rows)
			}
			if err != nil {
				return err
			}
			if len(rows) < size {
				break
			}
			page.After = PageOrder(rows[len(rows)-1])
		}
	}
	return nil
}

func Memories(ctx context.Context, reader RowReader, q RowQuery) ([]Memory, error) {
	rows, err := reader.Rows(ctx, q)
	return Each(rows, func(row Row) Memory { return row.Memory }), err
}
