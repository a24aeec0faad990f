package memstore_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/memstore"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/storetest"
)

func TestVectorConformance(t *testing.T) {
	storetest.RunVectors(t, func(*testing.T) (storetest.Store, memory.VectorStore) {
		store := memstore.New()
		return store, memstore.NewVectors(store)
	})
}
