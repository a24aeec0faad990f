package consolidate

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Store is the store that maintenance reads and writes. Package storetest describes each
// method.
type Store interface {
	Reader
	Writer
}

// Reader has the questions that maintenance asks the store.
type Reader interface {
	RowReader
	memory.TotalsReader
	StateReader
}

// RowReader reads the rows that policies decide on.
type RowReader interface {
	memory.RowReader
	Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error)
}

// StateReader reads the runs, where each job stands, and the sessions that never ended.
type StateReader interface {
	memory.RunReader
	memory.KeyReader
	memory.SessionLister
	memory.RecordReader
	Export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error) // the old events
}

// Writer has the writes.
type Writer interface {
	Commit(ctx context.Context, c memory.Commit) (skipped []string, err error)
	Ingest(ctx context.Context, b memory.Batch) error
	memory.Leaser // keeps other daemons from running a job at the same time
}
