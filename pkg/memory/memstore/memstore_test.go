package memstore_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/memstore"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Store { return memstore.New() })
}
