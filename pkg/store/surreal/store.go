// Package surreal stores memories in SurrealDB. It contains all data statements of the product, and makes
// no decisions about memories. Package wire has its connection.
package surreal

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// Store implements the contract of package storetest with SurrealDB, and includes the book that changes it.
type Store struct {
	*book.Book
	conn *wire.Conn
	// applying serialises writes: mem:// and surrealkv:// (3.0.2) acknowledge both of two
	// conflicting commits in 1 to 3 % of cases.
	applying sync.Mutex
}

// NewStore returns a Store for a database with a current schema. The caller closes the
// connection.
func NewStore(conn *wire.Conn) *Store {
	s := &Store{conn: conn}
	s.Book = book.New(s)
	return s
}

// otherMemory is the engine's error about an existing sighting of another memory, which to it
// is no duplicate, because the relation has other ends. Newer rules may extract another memory
// from an event; the first one stays.
const otherMemory = "does not match the existing field value"

// unknownSightings removes the sightings that exist.
func (s *Store) unknownSightings(ctx context.Context, sightings []map[string]any) ([]map[string]any, error) {
	ids := make([]models.RecordID, len(sightings))
	for i, sighting := range sightings {
		ids[i] = sighting["id"].(models.RecordID)
	}
	known, err := value[[]string](ctx, s, "read which sightings are there",
		`SELECT VALUE record::id(id) FROM $ids WHERE id != NONE`, map[string]any{"ids": ids})
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
