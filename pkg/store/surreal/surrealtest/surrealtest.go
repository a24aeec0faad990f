// Package surrealtest gives tests of other packages a store with the current schema on a shared real engine. Programs
// cannot link it.
package surrealtest

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wiretest"
)

// Open returns the store of a new, empty database, and its address. The store is closed when the test ends.
func Open(t testing.TB) (*surreal.Store, wire.Options) {
	t.Helper()
	o := wiretest.Database(t)
	conn := wiretest.Open(t, o)
	all, err := migrate.Load(migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrate.Up(t.Context(), surreal.NewMigrationStore(conn), all, migrate.Options{}); err != nil {
		t.Fatal(err)
	}
	return surreal.NewStore(conn), o
}
