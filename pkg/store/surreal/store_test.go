package surreal

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wiretest"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

// emptyDatabase connects to a new database, and optionally traces its queries.
func emptyDatabase(t testing.TB, trace ...func(string, int)) *wire.Conn {
	t.Helper()
	opts := wiretest.Database(t)
	for _, to := range trace {
		opts.Trace = to
	}
	return wiretest.Open(t, opts)
}

// openStore returns an empty store after all migrations.
func openStore(t testing.TB, trace ...func(string, int)) *Store {
	t.Helper()
	return migrated(t, emptyDatabase(t, trace...))
}

// migrated returns the store of a database after all migrations.
func migrated(t testing.TB, conn *wire.Conn) *Store {
	t.Helper()
	all := musttest.Get(migrate.Load(migrations.FS))(t)
	musttest.Get(migrate.Up(t.Context(), NewMigrationStore(conn), all, migrate.Options{}))(t)
	return NewStore(conn)
}

// TestMigrationsMakeTheSchema compares the database's description after all migrations with that of one created from schema/.
func TestMigrationsMakeTheSchema(t *testing.T) {
	migrated := describe(t, openStore(t).conn)

	fresh := emptyDatabase(t)
	files := musttest.Get(fs.Glob(schema.FS, "*.surql"))(t)
	// The analyzer and the tables must come before definitions that refer to them.
	slices.SortFunc(files, func(a, b string) int { return rank(a) - rank(b) })
	for _, file := range files {
		text := musttest.Get(fs.ReadFile(schema.FS, file))(t)
		if _, err := fresh.ExecIdempotent(t.Context(), string(text), nil); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	desired := describe(t, fresh)
	musttest.Same(t, desired, migrated, "after the migrations (-schema +migrated)")
	if len(desired) < len(files) {
		t.Errorf("described %d things of %d files", len(desired), len(files))
	}
}

func rank(file string) int {
	switch file {
	case "analyzer.surql":
		return 0
	case "memory.surql", "session.surql", "file.surql":
		return 1
	}
	return 2
}

// describe returns the database's description of itself: each definition by its path.
func describe(t *testing.T, conn *wire.Conn) map[string]string {
	t.Helper()
	result := musttest.Get(conn.ExecIdempotent(t.Context(), "INFO FOR DB", nil))(t)
	var info map[string]map[string]string
	musttest.Do(t, result.Decode(0, &info))
	described := map[string]string{}
	for name, definition := range info["analyzers"] {
		described["analyzer "+name] = definition
	}
	for _, table := range slices.Sorted(maps.Keys(info["tables"])) {
		described["table "+table] = info["tables"][table]
		result := musttest.Get(conn.ExecIdempotent(t.Context(), "INFO FOR TABLE "+table, nil))(t)
		var parts map[string]map[string]string
		musttest.Do(t, result.Decode(0, &parts))
		for part, definitions := range parts {
			for name, definition := range definitions {
				described[table+" "+part+" "+name] = definition
			}
		}
	}
	return described
}

// TestIndexesServeTheHotPath checks the engine's plan for each statement that a hook waits for,
// or that ingest runs for every batch.
func TestIndexesServeTheHotPath(t *testing.T) {
	conn := openStore(t).conn
	vars := map[string]any{
		"project": "p", "s": recordID("session", "s"), "limit": 10,
		"text": "word", "session_id": recordID("session", "s"),
		"after": at(time.Time{}), "since": at(time.Time{}), "status": "archived", "from": at(time.Time{}), "until": at(time.Time{}),
	}
	for name, sql := range map[string]string{
		"summaries": summarisedSQL, "prompts": promptsOfSQL, "session events": sessionEventsOfSQL, "seen": seenBySQL,
		"runs": runsSQL, "injected": injectionsSQL, "silent": idleSQL,
		"sessions of a project": sessionsOfProjectSQL, "prompts to count": sessionPromptsSQL,
		"a page": pageSQL,
	} {
		for _, statement := range statements(sql) {
			result, err := conn.ExecIdempotent(t.Context(), "EXPLAIN "+statement, vars)
			if err != nil {
				t.Fatalf("%s: %s: %v", name, statement, err)
			}
			var plan string
			musttest.Do(t, result.Decode(0, &plan))
			served := strings.Contains(plan, "IndexScan") ||
				strings.Contains(plan, "RecordIdScan") ||
				strings.Contains(plan, "GraphEdgeScan")
			if !served || strings.Contains(plan, "TableScan") {
				t.Errorf("%s is not served by an index:\n%s\n%s", name, statement, plan)
			}
		}
	}
}

// On a full disk of 12 MB, refused writes count as the storage's fault, and after a restart with free space, the same
// engine writes again.
func TestEngineOnAFullDisk(t *testing.T) {
	disk := enginetest.SmallDisk(t, 12)
	filler := filepath.Join(disk, "filler")
	musttest.Do(t, os.WriteFile(filler, make([]byte, 6<<20), 0o600))
	supervisor, opts := wiretest.Engine(t, disk)
	c := wiretest.Open(t, opts)
	var err error
	for i := 0; i < 1000 && err == nil; i++ {
		_, err = c.Run(t.Context(), wire.Request{SQL: "CREATE t SET text = $text", Vars: map[string]any{"text": strings.Repeat("x", 40_000)}})
	}
	if !errors.Is(err, memory.ErrStorage) {
		t.Fatalf("on a full disk: %v, want %v", err, memory.ErrStorage)
	}
	musttest.Do(t, os.Remove(filler))
	supervisor.Restart("the disk was full")
	musttest.Is(t, nil, musttest.Err(c.ExecIdempotent(t.Context(), "UPSERT t:1 SET text = 'x'", nil)), "with room again")
}

// TestAMethodIsOneQuery limits the calls of ingest and hooks to one round trip, or two for a batch of any size, which reads the
// rows that it changes. The write has one statement for each kind of change.
func TestAMethodIsOneQuery(t *testing.T) {
	var statements []int
	store := openStore(t, func(_ string, results int) { statements = append(statements, results) })
	now := time.Now().UTC()
	batch := func(n int) memory.Batch {
		var b memory.Batch
		for i := range n {
			id := strings.Repeat("0", 31) + string(rune('a'+i))
			b.Sessions = append(b.Sessions, memory.Session{ID: id, Project: "p", State: memory.SessionActive, StartedAt: now, LastEventAt: now})
			b.Memories = append(b.Memories, memory.Memory{
				ID: id, Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote,
				Status: memory.StatusActive, Content: id, Importance: 0.5, CreatedAt: now, LastSeenAt: now,
			})
			b.Sightings = append(b.Sightings, memory.Sighting{ID: id, Memory: id, Session: id, At: now})
			b.Summaries = append(b.Summaries, memory.SessionSummary{Session: id, Summary: memory.Summary{Text: id}})
		}
		return b
	}
	many := batch(20)
	ids := make([]string, len(many.Sessions))
	for i, s := range many.Sessions {
		ids[i] = s.ID
	}
	ctx := t.Context()
	for _, call := range []struct {
		what       string
		do         func() error
		statements []int // of each query
	}{
		{"a batch of one", func() error { return store.Ingest(ctx, batch(1)) }, []int{3, 7}},
		{"a batch of twenty", func() error { return store.Ingest(ctx, many) }, []int{3, 9}},
		{"the same again", func() error { return store.Ingest(ctx, many) }, []int{3, 7}},
		{"sessions", func() error { _, err := store.Sessions(ctx, memory.SessionIDs(ids)); return err }, []int{1}},
		{"records", func() error { _, err := store.Records(ctx, memory.RecordsOf(ids)); return err }, []int{6}},
		{"rows", func() error { _, err := store.Rows(ctx, memory.WithIDs(ids)); return err }, []int{1}},
	} {
		statements = nil
		if err := call.do(); err != nil {
			t.Fatalf("%s: %v", call.what, err)
		}
		musttest.Same(t, call.statements, statements, "%s: the statements of its queries", call.what)
	}
}
