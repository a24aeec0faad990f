package surreal

import (
	"context"
	"os"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/storetest"
)

// openStore makes an empty database with the whole schema.
func openStore(t *testing.T) *Store {
	t.Helper()
	endpoint := enginetest.Endpoint(t)
	namespace, database := enginetest.Database(t)
	conn := Open(Options{
		Locate: func(context.Context) (Endpoint, error) {
			return Endpoint{URL: endpoint.URL, User: endpoint.User, Pass: endpoint.Pass}, nil
		},
		Namespace: namespace, Database: database,
	})
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	schema, err := os.ReadFile("../../migrations/0001_initial.surql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.exec(t.Context(), string(schema), nil); err != nil {
		t.Fatal(err)
	}
	return NewStore(conn)
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) memory.Store { return openStore(t) })
}
