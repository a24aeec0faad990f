// Package wiretest gives tests connections to a real engine. Programs cannot link it.
package wiretest

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// Database returns the options of a new database on a real engine.
func Database(t testing.TB) wire.Options {
	t.Helper()
	endpoint := enginetest.Endpoint(t)
	namespace, database := enginetest.Database(t)
	return wire.Options{
		Locate:    func(context.Context) (engine.Endpoint, error) { return endpoint, nil },
		Namespace: namespace, Database: database, CallTimeout: 20 * time.Second,
	}
}

// Open returns a connection that is closed when the test ends.
func Open(t testing.TB, opts wire.Options) *wire.Conn {
	t.Helper()
	c := wire.Open(opts)
	t.Cleanup(func() { musttest.Do(t, c.Close(context.Background())) })
	return c
}

// Engine starts an engine with its data on disk, which the test may kill.
func Engine(t testing.TB, dir string) (*engine.Supervisor, wire.Options) {
	t.Helper()
	enginetest.Endpoint(t) // skips the test if there is no engine
	sources, packages, err := enginetest.Dirs()
	if err != nil {
		t.Fatal(err)
	}
	supervisor, err := engine.Start(t.Context(), engine.Options{
		DataPath: filepath.Join(dir, "data"), RunDir: filepath.Join(dir, "run"), Sources: sources,
		Packages: packages, Output: os.Stderr,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { supervisor.Stop(context.Background()) })
	return supervisor, wire.Options{
		Locate:    supervisor.Endpoint,
		Namespace: "n", Database: "d", CallTimeout: 30 * time.Second,
	}
}
