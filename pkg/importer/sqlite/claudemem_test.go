package sqlite_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer/sqlite"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// made runs a script of testdata on a new database. changes are pairs of a text of the script
// and its replacement.
func made(t *testing.T, script string, changes ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "claude mem?#%20.db") // the name is no part of an address
	db := open(t, file)
	defer func() { _ = db.Close() }()
	run(t, db, script, changes...)
	return file
}

func open(t *testing.T, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(file))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return db
}

func run(t *testing.T, db *sql.DB, script string, changes ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "import", "claude-mem", script))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), strings.NewReplacer(changes...).Replace(string(text))); err != nil {
		t.Fatal(err)
	}
}

func where(name string) memory.Project {
	return memory.Project{Key: "key/" + name, Name: name, Root: "/home/dev/" + name}
}

func read(t *testing.T, file string) []memory.Event {
	t.Helper()
	database, err := sqlite.OpenClaudeMem(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := database.Close(); err != nil {
			t.Error(err)
		}
	}()
	var events []memory.Event
	for bundle, err := range database.Sessions(t.Context(), where) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, bundle.Events...)
	}
	for _, e := range events {
		if err := e.Validate(); err != nil {
			t.Error(err)
		}
	}
	return events
}

func TestTheFirstVersionOfADatabaseIsRead(t *testing.T) {
	events := read(t, made(t, "first.sql"))
	start := time.Unix(1735689600, 0).UTC()
	var got []string
	for _, e := range events {
		row := e.Import
		switch {
		case row.Session != nil:
			got = append(got, "session "+row.Session.ID+" "+row.Session.LastEventAt.Sub(start).String()+" "+row.Session.Summary.Text)
		case row.Prompt != nil:
			got = append(got, "prompt "+row.Prompt.Text)
		default:
			got = append(got, string(row.Memory.Kind)+" "+row.Memory.LastSeenAt.Sub(start).String()+" "+row.Memory.Content)
		}
	}
	want := []string{
		"session client-1 3m0s 2025-01-01 00:00 UTC: asked Add a health check; completed: Added it.",
		"prompt Add a health check",
		"discovery 2m0s Key [redacted:anthropic-key] is only for tests",
		"task 1m0s The health check answers on port 8080",
		"session client-2 24h0m0s ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestObservationsOfManySessions reads the script's 200 sessions with 5
// observations each. All 10,000 are read by the tests of package importer.
func TestObservationsOfManySessions(t *testing.T) {
	file := made(t, "current.sql", "i < 9999", "i < 999", "n = i / 50", "n = i / 5")
	t.Run("each row has an event of its own", func(t *testing.T) { ownEvents(t, file) })
	t.Run("projects are those that rows belong to", func(t *testing.T) { ownProjects(t, file) })
}

func ownEvents(t *testing.T, file string) {
	t.Helper()
	events, ids := read(t, file), map[string]bool{}
	for _, e := range events {
		ids[e.ID] = true
	}
	if len(ids) != len(events) || len(events) != 1000+200+2*199 {
		t.Errorf("%d events have %d ids", len(events), len(ids))
	}
}

func TestTheSameDatabaseGivesTheSameEvents(t *testing.T) {
	file := made(t, "first.sql")
	if diff := cmp.Diff(read(t, file), read(t, file)); diff != "" {
		t.Errorf("events (-first +second):\n%s", diff)
	}
}

func ownProjects(t *testing.T, file string) {
	t.Helper()
	database, err := sqlite.OpenClaudeMem(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = database.Close() }()
	projects, err := database.Projects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, one := range projects {
		got[one.Name] = len(one.Sessions)
	}
	// A worktree was merged into its repository, and the query is for its first sessions
	// only.
	if diff := cmp.Diff(map[string]int{"alpha": 50, "beta": 40, "gamma": 40, "delta": 40}, got); diff != "" {
		t.Errorf("sessions of each project (-want +got):\n%s", diff)
	}
	counts, err := database.Counts(t.Context())
	if want := (sqlite.Counts{Sessions: 199, Observations: 1000, Summaries: 400, Prompts: 398}); err != nil || counts != want {
		t.Errorf("%+v, %v", counts, err)
	}
}

// state returns a hash of each file in the folder of a file.
func state(t *testing.T, file string) map[string][32]byte {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string][32]byte{}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(file), entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		sums[entry.Name()] = sha256.Sum256(data)
	}
	return sums
}

// TestADatabaseInUseIsLeftAsItIs reads a database that another connection has open, with all rows
// in its write-ahead log, and a closed one.
func TestADatabaseInUseIsLeftAsItIs(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	file := filepath.Join(t.TempDir(), "claude-mem.db")
	db := open(t, file)
	defer func() { _ = db.Close() }()
	for _, pragma := range []string{"PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0"} {
		if _, err := db.ExecContext(t.Context(), pragma); err != nil {
			t.Fatal(err)
		}
	}
	run(t, db, "first.sql")
	before := state(t, file)
	if len(before) != 3 {
		t.Fatalf("the folder holds %d files; want the database, its log and the log's index", len(before))
	}
	if got := len(read(t, file)); got != 5 {
		t.Errorf("%d events of a database in use", got)
	}
	if diff := cmp.Diff(before, state(t, file)); diff != "" {
		t.Errorf("files beside a database in use (-before +after):\n%s", diff)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before = state(t, file)
	if got := len(read(t, file)); got != 5 {
		t.Errorf("%d events of a closed database", got)
	}
	if diff := cmp.Diff(before, state(t, file)); diff != "" {
		t.Errorf("files beside a closed database (-before +after):\n%s", diff)
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) != 0 {
		t.Errorf("%d copies are left, %v", len(left), err)
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte("this is no database, but long enough to have been one: "+strings.Repeat("x", 200)), 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.db")
	db := open(t, other)
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE sessions (id INTEGER)"); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	for file, want := range map[string]error{
		text: sqlite.ErrNotClaudeMem, other: sqlite.ErrNotClaudeMem, dir: sqlite.ErrNotClaudeMem,
		filepath.Join(dir, "none.db"): memory.ErrNotFound,
	} {
		if _, err := sqlite.OpenClaudeMem(t.Context(), file); !errors.Is(err, want) {
			t.Errorf("open %s: %v, want %v", filepath.Base(file), err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none.db")); err == nil {
		t.Error("a database that was not there was made")
	}
}

func TestAnInterruptedReadIsAnError(t *testing.T) {
	database, err := sqlite.OpenClaudeMem(t.Context(), made(t, "first.sql"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = database.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range database.Sessions(ctx, where) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("read: %v", err)
		}
	}
}
