// Package surreal keeps memories in SurrealDB. It owns every data statement of the product, and decides
// nothing about memories. Its connection is package wire's.
package surreal

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// Store is the contract of package storetest on SurrealDB, with the book that changes it.
type Store struct {
	*book.Book
	conn *wire.Conn
	// applying keeps two writes apart: mem:// and surrealkv:// (3.0.2) acknowledge
	// both of two conflicting commits in 1 to 3 % of cases.
	applying sync.Mutex
}

// NewStore makes a Store of a connection to a database whose schema is up to
// date. The caller closes the connection.
func NewStore(conn *wire.Conn) *Store {
	s := &Store{conn: conn}
	s.Book = book.New(s)
	return s
}

// otherMemory is the engine's error about a sighting that is there and shows another
// memory: a relation with other ends is no duplicate to it. Newer rules may make another
// memory of an event; the first one stays.
const otherMemory = "does not match the existing field value"

// unknownSightings leaves out the sightings that are there.
func (s *Store) unknownSightings(ctx context.Context, sightings []map[string]any) ([]map[string]any, error) {
	ids := make([]models.RecordID, len(sightings))
	for i, sighting := range sightings {
		ids[i] = sighting["id"].(models.RecordID)
	}
	known, err := value[[]string](ctx, s, "read which sightings are there", `SELECT VALUE record::id(id) FROM $ids WHERE id != NONE`, map[string]any{"ids": ids})
	return slices.DeleteFunc(slices.Clone(sightings), func(sighting map[string]any) bool {
		return slices.Contains(known, sighting["id"].(models.RecordID).ID.(string))
	}), err
}

// CanWrite implements storetest.Store.
func (s *Store) CanWrite(ctx context.Context) error {
	if err := s.conn.CanWrite(ctx); err != nil {
		return fmt.Errorf("write to the store: %w", domain(err))
	}
	return nil
}
