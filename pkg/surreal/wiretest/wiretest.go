// Package wiretest gives tests connections to the real engine. It refuses to be linked by a
// program.
package wiretest

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// Database has the options of a database that nobody else uses, on a real engine.
func Database(t testing.TB) wire.Options {
	t.Helper()
	endpoint := wire.Endpoint(enginetest.Endpoint(t))
	namespace, database := enginetest.Database(t)
	return wire.Options{
		Locate:    func(context.Context) (wire.Endpoint, error) { return endpoint, nil },
		Namespace: namespace, Database: database, CallTimeout: 20 * time.Second,
	}
}

// Open connects until the test ends.
func Open(t testing.TB, opts wire.Options) *wire.Conn {
	t.Helper()
	c := wire.Open(opts)
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c
}

// Engine starts an engine that the test may kill, with its data on disk.
func Engine(t testing.TB, dir string) (*engine.Supervisor, wire.Options) {
	t.Helper()
	enginetest.Endpoint(t) // skips where there is none
	sources, packages, err := enginetest.Dirs()
	if err != nil {
		t.Fatal(err)
	}
	supervisor, err := engine.Start(t.Context(), engine.Options{
		DataPath: filepath.Join(dir, "data"), RunDir: filepath.Join(dir, "run"), Sources: sources, Packages: packages, Output: os.Stderr,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := supervisor.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return supervisor, wire.Options{
		Locate: func(ctx context.Context) (wire.Endpoint, error) {
			endpoint, err := supervisor.Endpoint(ctx)
			return wire.Endpoint(endpoint), err
		},
		Namespace: "n", Database: "d", CallTimeout: 30 * time.Second,
	}
}
