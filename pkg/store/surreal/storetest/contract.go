// Package storetest has the contract of a store, and its tests are the conformance suite: each implementation passes it.
package storetest

import (
	"context"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Contract has the methods that a store implements. Each caller declares an interface with the few that it calls.
//
// All methods may be called at the same time, from several goroutines and by several processes on the same database.
// They return the context's error when the context ends; an Apply may then have been applied or not. Besides the
// errors that a method names, they return memory.ErrUnavailable if the database cannot be reached, or an error that
// wraps it: memory.ErrStorage, memory.ErrSchema or memory.ErrDamaged. The same call may work later. Any other error
// means that the database refused this request and will refuse it again. A read sees every write whose Apply has
// returned. Times come back in UTC with all their nanoseconds.
type Contract interface {
	// Apply applies a write in one transaction: all of it, or nothing if it returns an error.
	//
	// It fails with memory.ErrConflict if a changed row differs from the Before of its change in a column that the
	// row's type compares (memory.RowType.Compared); the caller then reads the rows and builds the write again. The
	// type also decides what becomes of a new row whose id exists: the old row stays, it is replaced, or Apply fails
	// with memory.ErrConflict. Apply fails with memory.ErrWritten if the write's new run exists, because an earlier
	// attempt was applied and its answer was lost. It fails with memory.ErrLeaseLost if the write names a lease that
	// has ended or that another holder has taken.
	//
	// Each changed memory gets a cursor that is greater than all before, so that Changed finds it. A job's progress
	// never goes back. A write that deletes projects, or that merges one into another, may take several transactions,
	// and is repeated after an interruption.
	Apply(ctx context.Context, w memory.Write) error
	// Read returns the rows with some keys, with the columns that Apply compares. Keys without a row are missing from
	// the result. The target of a merged memory comes with it.
	Read(ctx context.Context, k memory.Keys) (memory.Rows, error)

	// Rows returns the rows of memories that a query selects. The query's type decides their order and maximum
	// number; the cost may depend on the rows that it selects, but not on the number of others.
	Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error)
	// Changed returns memories in the order of their last changes, after a cursor. A page may have more rows than its limit
	// if they changed in one transaction. Transactions may be committed in another order than that of their cursors.
	// Therefore the cursor that Apply stores for a job is at least some seconds old, and the job reads these seconds again.
	Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error)
	// History returns the sightings, injections and changes of a memory, the oldest first. It is empty if there is no
	// such memory.
	History(ctx context.Context, id string) (memory.History, error)
	// Decisions returns the decisions about memories, in any order.
	Decisions(ctx context.Context, ids []string) ([]memory.Decision, error)

	// Sessions returns sessions without their content; see the types of memory.SessionQuery. Prompts are
	// counted only if the query asks for it.
	Sessions(ctx context.Context, q memory.SessionQuery) ([]memory.Session, error)
	// Records returns the content of sessions, in the order of time and then of ids; see the types of
	// memory.RecordQuery. An event that was stored twice appears once.
	Records(ctx context.Context, q memory.RecordQuery) ([]memory.SessionRecord, error)

	// Runs returns maintenance runs, the newest first. A run has its actions only if the query has its id.
	Runs(ctx context.Context, q memory.RunQuery) ([]memory.Run, error)
	// Lease takes, extends or gives back the right to run a job. The database's clock decides, so the clocks of
	// machines need not agree.
	//
	// Without a token it takes the lease for its holder, or extends it if the holder has it. It fails with
	// memory.ErrHeld while another holder has it. The returned token is greater than the tokens of all earlier
	// holders. With a token it extends the lease, or fails with memory.ErrLeaseLost if the lease has ended or another
	// holder has taken it. A duration of 0 gives the lease back; giving back a lost lease does nothing.
	Lease(ctx context.Context, l memory.Lease, d time.Duration) (memory.Lease, error)
	// Distillations returns entries of the queue of sessions that a model is to distil, the earliest next try first.
	Distillations(ctx context.Context, q memory.DistillationQuery) ([]memory.Distillation, error)

	// Totals counts rows or sums them up; see the types of memory.TotalsQuery. It may take seconds in a large store: the
	// callers bound it by the context.
	Totals(ctx context.Context, q memory.TotalsQuery) (memory.Totals, error)
	// Projects returns all projects without their counts, the last seen first, including the projects that were
	// merged into others.
	Projects(ctx context.Context) ([]memory.ProjectHolding, error)

	// Export returns a page of the rows of one section, ordered by id. The next page begins after the page's Next, which
	// is empty on the last page; any page may be empty. With Before it returns the oldest events instead. It fails with
	// memory.ErrInvalid if there is no such section.
	Export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error)

	// CopyOut passes everything, as of one instant, to the sink: first the contents, then every row, table by table, in
	// an order that depends on the rows only. An error of the sink ends the copy and is returned. It leaves out leases
	// and the history of migrations (Contents has their versions). Only CopyIn of the same implementation understands
	// the bytes of a row.
	CopyOut(ctx context.Context, sink memory.CopySink) error
	// CopyIn inserts rows of CopyOut into their table, whose schema must be that of the copy. Existing rows stay, so
	// it can be repeated after an error. It fails with memory.ErrNotFound if there is no such table, and with
	// memory.ErrInvalid if a row is damaged.
	CopyIn(ctx context.Context, table string, rows [][]byte) error
}

// Store is a store that can be read and written: Contract, with the writes of a book.
type Store interface {
	Contract
	Writer
}

// Writer has the methods of a book.Book.
type Writer interface {
	Replay(ctx context.Context, w memory.Write) error
	Ingest(ctx context.Context, batch memory.Batch) error
	Conclude(ctx context.Context, batch memory.Batch, sessions []string, isDue map[string]bool,
		derive func([]memory.SessionRecord) memory.Batch) (memory.Conclusion, error)
	Amend(ctx context.Context, id string, c memory.Change) (before, after memory.Memory, err error)
	Commit(ctx context.Context, c memory.Commit) (skipped []string, err error)
	MergeProjects(ctx context.Context, from, into string) (moved memory.Holding, err error)
	Purge(ctx context.Context, key string) (purged memory.Holding, err error)
}
