// Package storetest has the contract of a store, and its tests are the conformance suite: each implementation passes it.
package storetest

import (
	"context"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/book"
)

// Contract has the methods that a store implements. Each caller declares an interface with the few that it calls.
//
// All methods may be called at the same time, from several goroutines and by several processes on the same database. They
// return when the context ends, with its error; what Apply then did is not known. Beside the errors that a method names,
// they return memory.ErrUnavailable if the database cannot be reached, or its kinds memory.ErrStorage, memory.ErrSchema and
// memory.ErrDamaged; the same call may work later. Any other error means that the database refused this request and will
// refuse it again. Reads see everything that an Apply has written which returned before. Times come back with all their
// nanoseconds, in UTC.
type Contract interface {
	// Apply applies a write in one transaction: all of it, or nothing if it returns an error.
	//
	// Before: for each change with a Before, the columns that the row's type compares (memory.RowType.Compared) must be as
	// they are there, or it is memory.ErrConflict: the caller reads the rows and builds the write again. A new row whose
	// id exists stays as it is, is replaced, or is memory.ErrConflict, as its type says. If the write's new run exists, it
	// is memory.ErrWritten: the answer to an earlier attempt was lost. If the write names a lease that has ended or that
	// another holder has taken, it is memory.ErrLeaseLost.
	//
	// After: each changed memory has a cursor that is greater than all before, so that Changed finds it. A job's progress
	// never goes back. A write that deletes projects or that makes one a part of another may take several transactions,
	// and is repeated after an interruption.
	Apply(ctx context.Context, w memory.Write) error
	// Read returns the rows that Apply would compare, by their keys. Keys without a row are missing from the result. A
	// memory that was merged into another comes with that one. A job that never ran has only Now: all changes that are
	// committed later have a greater cursor.
	Read(ctx context.Context, k memory.Keys) (memory.Rows, error)

	// Rows returns memories with what maintenance decides by. The type of the query says which, in which order and how
	// many at most; its cost may depend on the rows that it selects, and not on how many others there are.
	Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error)
	// Changed returns memories in the order of their last changes, after a cursor. A page may have more rows than its
	// limit if they changed in one transaction. A transaction that was under way may appear later with a smaller
	// cursor, for as long as Now of Read looks back.
	Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error)
	// History returns where a memory was seen and injected and what changed it, each the oldest first; all empty if there
	// is no such memory.
	History(ctx context.Context, id string) (memory.History, error)

	// Sessions returns sessions without what happened in them; see the types of memory.SessionQuery. Their prompts and
	// notifications are counted only where the query asks for it.
	Sessions(ctx context.Context, q memory.SessionQuery) ([]memory.Session, error)
	// Records returns what happened in sessions, each in the order of time and then of ids; see the types of
	// memory.RecordQuery. An event that was stored twice is there once.
	Records(ctx context.Context, q memory.RecordQuery) ([]memory.SessionRecord, error)

	// Runs returns maintenance runs, the newest first; only a run that is asked for by its id has its actions.
	Runs(ctx context.Context, q memory.RunQuery) ([]memory.Run, error)
	// Lease takes, extends or gives back the right to run a job, by the database's clock, so that the clocks of machines
	// need not agree.
	//
	// Without a token it takes the lease for its holder, or extends it if the holder has it: memory.ErrHeld if another has
	// it and its time is not over. The token that it returns is greater than those of all holders before. With a token it
	// extends the lease: memory.ErrLeaseLost if its time was over or another has taken it. A duration of 0 gives it back;
	// to give back a lost lease does nothing.
	Lease(ctx context.Context, l memory.Lease, d time.Duration) (memory.Lease, error)
	// Distillations returns entries of the queue of sessions that a model is to summarise, the earliest next try first.
	Distillations(ctx context.Context, q memory.DistillationQuery) ([]memory.Distillation, error)

	// Totals counts rows or sums them up; see the types of memory.TotalsQuery. It may take seconds in a large store: the
	// callers bound it by the context.
	Totals(ctx context.Context, q memory.TotalsQuery) (memory.Totals, error)
	// Projects returns all projects, the last seen first, including those that became parts of others, without their
	// counts.
	Projects(ctx context.Context) ([]memory.ProjectHolding, error)

	// Export returns a page of the rows of one section, ordered by id; the next page begins after its Next, which is empty
	// on the last. A page other than the last may be empty. Forgotten memories have no text and are left out.
	// memory.ErrInvalid if there is no such section. With Before it returns the oldest events.
	Export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error)

	// CopyOut passes everything to the sink, as of one instant: first the contents, then
	// every row, table by table, in an order that depends on the rows only. An error of the
	// sink ends the copy and is returned. It leaves out leases, the history of migrations (Contents has
	// their versions) and everything that the store computes from other rows. The bytes of a row mean something to CopyIn
	// of the same implementation only.
	CopyOut(ctx context.Context, sink memory.CopySink) error
	// CopyIn inserts rows of CopyOut into their table, whose schema must be that of the copy. Existing rows stay, so it
	// can be repeated after an error. memory.ErrNotFound if there is no such table, memory.ErrInvalid if a row is damaged.
	CopyIn(ctx context.Context, table string, rows [][]byte) error
}

// Store is a store with the book that changes it.
type Store interface {
	Contract
	book.Writer
}
