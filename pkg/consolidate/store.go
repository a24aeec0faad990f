package consolidate

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Store has the methods of the store that maintenance needs; package storetest describes each.
type Store interface {
	memory.RowReader
	memory.TotalsReader
	memory.KeyReader
	memory.RunReader
	memory.SessionLister
	memory.RecordReader
	Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error)
	Export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error) // reads old events
	Commit(ctx context.Context, c memory.Commit) (skipped []string, err error)
	Ingest(ctx context.Context, b memory.Batch) error
	memory.Leaser // keeps other daemons from running a job at the same time
}
