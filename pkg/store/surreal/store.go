// Package surreal stores memories in SurrealDB. It contains all data statements of the product and makes no decisions
// about memories. Package wire has the connection.
package surreal

import (
	"context"
	"fmt"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// Store implements the interfaces of package storetest with SurrealDB. All changes go through the embedded Book.
type Store struct {
	*book.Book
	conn *wire.Conn
	// applying serialises writes: if two commits conflict, mem:// and surrealkv:// (3.0.2) acknowledge both in 1 to 3 %
	// of cases, and one write is lost (ADR 0018).
	applying sync.Mutex
}

// NewStore returns the Store of a database that has the current schema. The caller closes conn.
func NewStore(conn *wire.Conn) *Store {
	s := &Store{conn: conn}
	s.Book = book.New(s)
	return s
}

// CanWrite implements storetest.Store.
func (s *Store) CanWrite(ctx context.Context) error {
	if err := s.conn.CanWrite(ctx); err != nil {
		return fmt.Errorf("write to the store: %w", err)
	}
	return nil
}
