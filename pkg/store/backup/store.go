package backup

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Source copies out all its rows. It is a store, as package storetest describes it.
type Source interface {
	CopyOut(ctx context.Context, sink memory.CopySink) error
}

// TargetStore is a store that rows are restored into. Rows are in the encoding of their store, so only a store of the
// same implementation with the same schema accepts them.
type TargetStore interface {
	Source
	CopyIn(ctx context.Context, table string, rows [][]byte) error
	// BeginRestore removes the schema and the rows of an interrupted restore, and marks the store as unfinished, with
	// the source's name. It fails with memory.ErrNotEmpty if the store has sessions or memories.
	BeginRestore(ctx context.Context, source string) error
	// EndRestore removes the mark that BeginRestore has set.
	EndRestore(ctx context.Context) error
}
