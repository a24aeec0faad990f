package importer_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(enginetest.Wrap(m)) }

// testDaemon is a daemon with the parts that a test inspects.
type testDaemon struct {
	*daemon.Daemon
	Store   storetest.Store
	Counter memory.TokenCounter
}

// newDaemon returns a daemon on an empty store.
func newDaemon(t *testing.T) *testDaemon {
	store, counter := surrealtest.Empty(t), words{}
	return &testDaemon{Store: store, Counter: counter, Daemon: daemon.New(daemontest.Complete(daemon.Options{
		Store: store, Counter: counter, Config: config.Default(), Log: slog.New(slog.DiscardHandler),
		Now:    func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) },
		Layout: paths.Layout{Home: t.TempDir()},
	}))}
}

// words counts words.
type words struct{}

func (words) Count(text string) int { return len(strings.Fields(text)) }
func (words) Encoding() string      { return "words" }

func writerTo(a *testDaemon) *importer.Writer {
	return &importer.Writer{Send: func(ctx context.Context, events []memory.Event) (daemonapi.ImportResult, error) {
		return a.Intake.Import(ctx, daemonapi.ImportParams{Events: events})
	}}
}

func put(t *testing.T, a *testDaemon, events ...memory.Event) importer.Report {
	t.Helper()
	w := writerTo(a)
	musttest.Do(t, w.Put(t.Context(), events...))
	musttest.Do(t, w.Flush(t.Context()))
	return w.Report()
}

func stats(t *testing.T, a *testDaemon) memory.Stats {
	t.Helper()
	s := musttest.Get(a.Store.Totals(t.Context(), memory.Counts("")))(t)
	return s.Stats
}

func testdata(path ...string) string {
	return filepath.Join(append([]string{"..", "..", "testdata", "import"}, path...)...)
}
