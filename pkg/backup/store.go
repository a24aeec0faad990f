package backup

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Source copies everything it holds out: a store or a File.
type Source interface {
	CopyOut(ctx context.Context, sink memory.CopySink) error
}

// Store is a store. Package storetest describes each method.
type Store interface {
	Source
	Tables(ctx context.Context) ([]memory.Table, error)
}

// TargetStore takes rows back in. They are in the store's own encoding: only a store of
// the same make, at the same schema, does.
type TargetStore interface {
	Store
	CopyIn(ctx context.Context, table string, rows [][]byte) error
	BeginRestore(ctx context.Context, source string) error
	EndRestore(ctx context.Context) error
}
