// Package storetest has the contract of a store, and its tests are the conformance suite: each implementation passes it.
package storetest

import (
	"context"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/book"
)

// Contract has all methods of a store, with their descriptions and the demands of the
// suite. Each user declares an interface with the few methods that it calls.
type Contract interface {
	// Methods for hooks and callers.

	// Apply applies a write completely or not at all. memory.ErrConflict if a row has changed since,
	// memory.ErrWritten if its new run exists, and memory.ErrLeaseLost if the lease has expired.
	Apply(ctx context.Context, w memory.Write) error
	// Read returns the existing rows among the keys, as Apply compares them, and where jobs stand.
	Read(ctx context.Context, k memory.Keys) (memory.Rows, error)

	// Rows returns the rows that a query selects; see the types of memory.RowQuery.
	Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error)

	// Sessions lists sessions; see the types of memory.SessionQuery.
	Sessions(ctx context.Context, q memory.SessionQuery) ([]memory.Session, error)
	// Records returns what happened in sessions; see the types of memory.RecordQuery.
	Records(ctx context.Context, q memory.RecordQuery) ([]memory.SessionRecord, error)

	// Runs lists maintenance runs; only a run that is requested by its id includes its actions.
	Runs(ctx context.Context, q memory.RunQuery) ([]memory.Run, error)

	// Totals counts and sums up; see the types of memory.TotalsQuery.
	Totals(ctx context.Context, q memory.TotalsQuery) (memory.Totals, error)

	// Methods for maintenance.

	// Changed returns the rows that changed after a cursor, page by page.
	Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error)

	// Lease takes a lease without a token for its holder, for a duration by the store's clock: memory.ErrHeld if
	// another process has it. One with a token is extended: memory.ErrLeaseLost if it is no longer held. A duration of
	// 0 gives it back; to give back a lost lease does nothing.
	Lease(ctx context.Context, l memory.Lease, d time.Duration) (memory.Lease, error)

	// Methods for distillation by a model.

	// Distillations returns entries of the queue, the earliest next try first.
	Distillations(ctx context.Context, q memory.DistillationQuery) ([]memory.Distillation, error)

	// Methods for administration by people.

	// Projects lists every project, the last seen first, without counting their rows.
	Projects(ctx context.Context) ([]memory.ProjectHolding, error)
	// History returns a memory's history in order; it is empty if there is no such memory.
	History(ctx context.Context, id string) (memory.History, error)

	// Methods for backups.

	// CopyOut passes everything to the sink, as of one instant: first the contents, then
	// every row, table by table, in an order that depends on the rows only. An error of the
	// sink ends the copy. It leaves out leases, the history of migrations (Contents has
	// their versions) and everything that the store computes from other rows.
	CopyOut(ctx context.Context, sink memory.CopySink) error
	// CopyIn inserts rows of CopyOut into their table. Existing rows stay, so it can be
	// repeated. memory.ErrNotFound if there is no such table.
	CopyIn(ctx context.Context, table string, rows [][]byte) error

	// Methods for exports.

	// Export returns a page of the rows of one section, ordered by id. A page other than
	// the last may be empty. Forgotten memories have no text and are left out.
	// memory.ErrInvalid if there is no such section. With Before it returns the oldest events.
	Export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error)
}

// Store is a store with the book that changes it.
type Store interface {
	Contract
	book.Writer
}
