// Package memstore is an in-memory store: for tests of code that uses a store, and as
// a second implementation for the conformance suite. Nothing outlives its process.
package memstore

import (
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Store implements the contract of package storetest with maps, and includes the book that changes it. Use New.
type Store struct {
	*book.Book
	mu     sync.Mutex
	tables tables
	cursor memory.ChangeCursor // of the latest change
	leases map[string]lease
	index  index
}

// New returns an empty store.
func New() *Store {
	s := &Store{tables: newTables(), leases: map[string]lease{}}
	s.Book = book.New(s)
	s.reindex()
	return s
}
