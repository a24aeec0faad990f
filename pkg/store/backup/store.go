package backup

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Source copies out all of its rows: a store or a File.
type Source interface {
	CopyOut(ctx context.Context, sink memory.CopySink) error
}

// Store is a store. Package storetest describes each method.
type Store interface {
	Source
}

// TargetStore restores rows. They are in the encoding of their store: only a store of the
// same implementation, with the same schema, accepts them.
type TargetStore interface {
	Store
	CopyIn(ctx context.Context, table string, rows [][]byte) error
	// BeginRestore removes the schema and writes a mark with the source's name, so that an interrupted restore is
	// recognised. It deletes the rows of an interrupted restore. memory.ErrNotEmpty if the store has sessions or memories.
	BeginRestore(ctx context.Context, source string) error
	// EndRestore removes the mark.
	EndRestore(ctx context.Context) error
}
