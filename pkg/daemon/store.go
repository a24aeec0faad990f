package daemon

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/answers"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/briefing"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/distiller"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/upkeep"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/book"
)

// Store has the methods that the parts and the handlers need; package storetest describes each. The daemon writes
// memories through a book.Book, which journals each change.
type Store interface {
	book.Store
	intake.Store
	projectStore
	session.Store
	briefing.Store
	answers.Store
	upkeep.Store
	distiller.Store
	Export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error)
}

// SweepStore rewrites its rows and compacts its files, so that removed text is in neither.
type SweepStore interface {
	Sweep(ctx context.Context, apply bool, sweep memory.Sweep) (map[string]int, error)
	Compact(ctx context.Context) error
}
