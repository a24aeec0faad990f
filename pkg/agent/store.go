package agent

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/answers"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/briefing"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/distiller"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/upkeep"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Store is all that the parts and the handlers need. Package storetest describes each
// method. An agent makes its changes by a book of its own, which journals them.
type Store interface {
	book.Store
	book.Writer
	intake.Store
	intake.AliasReader
	session.Store
	briefing.Store
	answers.Store
	upkeep.Store
	distiller.Store
	ProjectLister
	Listing
}

// Listing are the reads that handlers make from the store directly.
type Listing interface {
	CountMemories(ctx context.Context, f memory.Filter) (int, error)
	Export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error)
}
