// Package surrealtest gives tests of other packages a store on a shared real engine, with a
// current schema. Programs cannot link it.
package surrealtest

import (
	"context"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// Open returns the store of a new, empty database, and its address. The store is closed when
// the test ends.
func Open(t testing.TB) (*surreal.Store, wire.Options) {
	t.Helper()
	endpoint := wire.Endpoint(enginetest.Endpoint(t))
	o := wire.Options{Locate: func(context.Context) (wire.Endpoint, error) { return endpoint, nil }}
	o.Namespace, o.Database = enginetest.Database(t)
	conn := wire.Open(o)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	all, err := migrate.Load(migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrate.Up(t.Context(), surreal.NewMigrationStore(conn), all, migrate.Options{}); err != nil {
		t.Fatal(err)
	}
	return surreal.NewStore(conn), o
}
