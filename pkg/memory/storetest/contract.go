package storetest

import (
	"context"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Contract is everything that a store does for all who use one. Each user
// declares the few methods that it calls, beside itself; this is where they are
// described, and where the suite's demands on an implementation stand.
type Contract interface {
	// Methods for hooks and callers.

	// Apply makes a write: all of it, or nothing. memory.ErrConflict if a row is not as it was,
	// memory.ErrWritten if its new run is there, and memory.ErrLeaseLost if the lease is no longer held.
	Apply(ctx context.Context, w memory.Write) error
	// Read returns the rows with some keys that are there, as Apply compares them.
	Read(ctx context.Context, k memory.Keys) (memory.Rows, error)

	// Rows returns the rows that a query selects; see the types of memory.RowQuery.
	Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error)
	// CountMemories counts the matches of a filter, whatever its limit.
	CountMemories(ctx context.Context, f memory.Filter) (int, error)

	// Recallable has visit see the rows that recall may return (memory.Memory.Recallable), of
	// a project and of the user, in pages of at most size rows, and returns its first error.
	// A row that changes meanwhile is seen as it was before or after, or twice.
	Recallable(ctx context.Context, project string, size int, visit func([]memory.Row) error) error
	// Injections returns the injections into a session and its subagents from a time on and
	// before another, without an end if that is zero, oldest first.
	Injections(ctx context.Context, session string, from, until time.Time) ([]memory.Injection, error)

	// Sessions lists sessions; see the types of memory.SessionQuery.
	Sessions(ctx context.Context, q memory.SessionQuery) ([]memory.Session, error)
	// SessionRecords returns the events of those of the sessions that are there, in the
	// order of the ids; those of each in their order, and those of the same time by their ids.
	SessionRecords(ctx context.Context, ids []string) ([]memory.SessionRecord, error)

	// Runs lists maintenance runs; only one that is asked for by its id has its actions.
	Runs(ctx context.Context, q memory.RunQuery) ([]memory.Run, error)

	// Stats counts the rows of a project, or of the store for "". Of a project that was merged into
	// another or is not known there are none.
	Stats(ctx context.Context, project string) (memory.Stats, error)

	// Methods for maintenance.

	// ActiveDays returns the days on which something happened, by project, sorted.
	ActiveDays(ctx context.Context) (map[string][]string, error)
	// Changed returns the rows that changed after a cursor, page by page.
	Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error)
	// ChangedProjects returns the projects ("" for the user) with rows that changed
	// after a cursor, and the cursor to go on from.
	ChangedProjects(ctx context.Context, after memory.ChangeCursor) (map[string]memory.ProjectChanges, memory.ChangeCursor, error)
	// Bands returns the ids of the memories that have each of the keys of some memories, by
	// key, these memories included; with note it keeps their keys. Of a key that more than
	// memory.MostSharing have, it keeps those that were noted last.
	Bands(ctx context.Context, keys map[string][]string, note bool) (map[string][]string, error)
	// Budgets sums up the budget scopes of a project (of the user for ""), and the rows
	// retired there since a time; for the zero time only active rows, which is cheaper.
	Budgets(ctx context.Context, project string, since time.Time) ([]memory.BudgetTotal, error)
	// Activities returns the activities of the newest sessions of a project, up to so
	// many sessions: commands, failures and edits, in the order of time.
	Activities(ctx context.Context, project string, sessions int) ([]memory.Activity, error)

	// Job returns where a job stands; the zero marks if it never ran.
	Job(ctx context.Context, job string) (memory.JobState, error)

	// Acquire takes a lease for a time by the store's clock, or prolongs it for its
	// holder. memory.ErrHeld if another has it.
	Acquire(ctx context.Context, name, holder string, d time.Duration) (memory.Lease, error)
	// Renew prolongs a lease. memory.ErrLeaseLost if it is no longer held. A time of 0 gives it
	// up; then one that was lost is left alone.
	Renew(ctx context.Context, l memory.Lease, d time.Duration) error

	// Methods for distillation by a model.

	// Distillations returns rows of the queue, those whose next try is first.
	Distillations(ctx context.Context, q memory.DistillationQuery) ([]memory.Distillation, error)
	// Spent sums up the costs since the day of a time, by day and job in their order.
	Spent(ctx context.Context, q memory.SpendQuery) ([]memory.SpendTotal, error)

	// Methods for administration by people.

	// Projects lists every project, the last seen first; it does not count their rows.
	Projects(ctx context.Context) ([]memory.ProjectHolding, error)
	// History returns a memory's history, in order; nothing if it is not there.
	History(ctx context.Context, id string) (memory.History, error)

	// Methods for backups and restores.

	// CopyOut hands everything to the sink, as it was at one instant: later writes are
	// not in it. First the contents, then every row, table by table, in an order that
	// depends on the rows only. An error of the sink ends it. Left out are leases, the
	// history of migrations (Contents has its versions) and all that the store computes
	// from other rows.
	CopyOut(ctx context.Context, sink memory.CopySink) error
	// CopyIn inserts rows of CopyOut into their table. Rows that are there stay, so it
	// may be repeated. memory.ErrNotFound if there is no such table.
	CopyIn(ctx context.Context, table string, rows [][]byte) error
	// BeginRestore removes the schema and writes a mark with the source's name, so that
	// an interrupted restore is not mistaken for a store. memory.ErrNotEmpty if
	// somebody's sessions or memories are there; the rows of an interrupted restore are
	// deleted.
	BeginRestore(ctx context.Context, source string) error
	// EndRestore removes the mark.
	EndRestore(ctx context.Context) error
	// UnfinishedRestore returns the source of a restore that has begun and not
	// ended, or "".
	UnfinishedRestore(ctx context.Context) (source string, err error)

	// Methods for exports.

	// Export returns a page of rows of one section, in the order of their ids. A page
	// may hold none and not be the last. Memories that were forgotten have no text
	// any more and are left out. memory.ErrInvalid if there is no such section.
	Export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error)
}

// Store is a store with the book that changes it.
type Store interface {
	Contract
	book.Writer
}
