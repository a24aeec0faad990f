// Package surreal stores memories in SurrealDB. It contains all data statements of the product and makes no decisions
// about memories. Package wire has the connection.
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

// otherMemory is the engine's error about an existing sighting that refers to another memory. INSERT IGNORE does not skip it,
// because the relation has other ends. It happens if newer rules extract another memory from an event; the first sighting stays.
const otherMemory = "does not match the existing field value"

// unknownSightings returns the sightings that the store does not have.
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
