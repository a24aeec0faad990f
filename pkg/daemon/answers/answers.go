// Package answers serves the questions of people and models: it finds, lists, explains and checks memories, from the
// indexes of package briefing and from the store. It records which memories a model was shown, and changes none.
package answers

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/briefing"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Store has the methods of the store that this package needs; package storetest describes each.
type Store interface {
	memory.SessionLister
	memory.RowReader
	memory.RecordReader
	memory.TotalsReader
	History(ctx context.Context, id string) (memory.History, error)
}

// Answers answers questions. Its methods are safe for concurrent use.
type Answers struct {
	Store    Store
	Briefing *briefing.Briefing
}
