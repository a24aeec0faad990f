package surreal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wiretest"
)

// load numbers texts as migrations.
func load(t *testing.T, texts ...string) []migrate.Migration {
	t.Helper()
	dir := t.TempDir()
	for i, text := range texts {
		musttest.Do(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d_m.surql", i+1)), []byte(text), 0o600))
	}
	migrations := musttest.Get(migrate.Load(os.DirFS(dir)))(t)
	return migrations
}

const twoTables = `-- tables
DEFINE TABLE a TYPE NORMAL SCHEMAFULL;
DEFINE FIELD n ON a TYPE int; DEFINE INDEX a_n ON a FIELDS n UNIQUE;
DEFINE ANALYZER words TOKENIZERS class FILTERS lowercase;
DEFINE FIELD s ON a TYPE string;
DEFINE INDEX a_s ON a FIELDS s FULLTEXT ANALYZER words BM25;`

func TestMigrationsApplyOnceAndAreRemembered(t *testing.T) {
	c := wiretest.Open(t, wiretest.Database(t))
	store := NewMigrationStore(c)
	migrations := load(t, twoTables, "CREATE a SET n = 1, s = 'x' -- no semicolon")
	opts := migrate.Options{BinaryVersion: "1.2.3"}
	report := musttest.Get(migrate.Up(t.Context(), store, migrations, opts))(t)
	musttest.Same(t, migrate.Report{To: 2}, report, "the report")
	history := musttest.Get(store.History(t.Context()))(t)
	if first := history[0]; len(history) != 2 || first.Version != 1 || first.SHA256 != migrations[0].SHA256 || first.BinaryVersion != "1.2.3" || first.AppliedAt.IsZero() {
		t.Errorf("got %+v", first)
	}
	musttest.Same(t, migrate.Report{From: 2, To: 2}, musttest.Get(migrate.Up(t.Context(), store, migrations, opts))(t), "the second time")
}

func TestFailedMigrationLeavesNothingAndNamesThePlace(t *testing.T) {
	const good = "DEFINE TABLE a SCHEMAFULL;\nDEFINE FIELD n ON a TYPE int ASSERT $value < 5;\n"
	tests := []struct {
		name, SQL, message string
	}{
		{"statement", good + "CREATE a:1 SET n = 1;\n\nCREATE a:2\n  SET n = 9;\nCREATE a:3 SET n = 2;", "statement 4: "},
		{"first statement", "THROW 'first'; " + good, "statement 1: An error occurred: first"},
		{"last statement", good + "THROW 'last'", "statement 3: An error occurred: last"},
		{"parse", good + "DEFINE\n  TABL b;\n", "--> [4:"},
		{"parse in the first line", "DEFINE TABL b;\n", "--> [1:"},
		{"parse at the end", good + "CREATE", "--> [4:1]"},
		{"type", good + "CREATE a:1 SET n = 'x'", "int"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := wiretest.Open(t, wiretest.Database(t))
			store := NewMigrationStore(c)
			report, err := migrate.Up(t.Context(), store, load(t, "DEFINE TABLE first", tt.SQL), migrate.Options{})
			if err == nil || !strings.Contains(err.Error(), "0002_m.surql: ") || !strings.Contains(err.Error(), tt.message) {
				t.Errorf("got %v, want 0002_m.surql with %q", err, tt.message)
			}
			musttest.Same(t, 1, report.To, "the version")
			rows := musttest.Get(c.Run(t.Context(), wire.Request{SQL: "INFO FOR DB"}))(t)
			var info struct {
				Tables map[string]string `json:"tables"`
			}
			musttest.Do(t, rows.Decode(0, &info))
			if _, left := info.Tables["a"]; left || len(info.Tables) != 3 {
				t.Errorf("left behind: %v", info.Tables)
			}
			if history, err := store.History(t.Context()); err != nil || len(history) != 1 {
				t.Errorf("history: %v, %v", history, err)
			}
		})
	}
}

func TestTwoMigratorsAtOnceTakeTurns(t *testing.T) {
	opts := wiretest.Database(t)
	migrations := load(t, twoTables, "CREATE a:1 SET n = 1, s = 'x'; SLEEP 300ms", "CREATE a:2 SET n = 2, s = 'x'")
	const migrators = 4
	var all sync.WaitGroup
	applied := make([]int, migrators)
	for i := range migrators {
		c := wiretest.Open(t, opts)
		all.Go(func() {
			report, err := migrate.Up(t.Context(), NewMigrationStore(c), migrations, migrate.Options{})
			if err != nil {
				t.Error(err)
			}
			applied[i] = report.To - report.From
		})
	}
	all.Wait()
	total := 0
	for _, n := range applied {
		total += n
		if n != 0 && n != len(migrations) {
			t.Errorf("one migrator applied %d of %d", n, len(migrations))
		}
	}
	musttest.Same(t, len(migrations), total, "applied in all by %v", applied)
}

func TestLeaseIsTakenOverOnlyWhenItRanOut(t *testing.T) {
	opts := wiretest.Database(t)
	first := NewMigrationStore(wiretest.Open(t, opts))
	first.lease = 1500 * time.Millisecond
	running, stop := context.WithCancel(t.Context())
	defer stop()
	unlock := musttest.Get(first.Lock(running))(t)
	second := NewMigrationStore(wiretest.Open(t, opts))
	waiting, cancel := context.WithTimeout(t.Context(), 2*first.lease) // two leases: it must have been renewed
	defer cancel()
	if _, err := second.Lock(waiting); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a held lease was taken: %v", err)
	}
	stop() // as if the process were stopped
	unlockSecond, err := second.Lock(t.Context())
	if err != nil {
		t.Fatalf("a lease that ran out was not taken over: %v", err)
	}
	if err := unlock(); err != nil { // must not give up the other's lease
		t.Error(err)
	}
	third, cancelThird := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancelThird()
	musttest.Fails(t, musttest.Err(NewMigrationStore(wiretest.Open(t, opts)).Lock(third)), "the lease was given up by one who had lost it")
	musttest.Do(t, unlockSecond())
	unlock, err = first.Lock(t.Context())
	if err != nil {
		t.Fatalf("after unlock: %v", err)
	}
	musttest.Do(t, unlock())
}

func TestLostLeaseStopsTheMigrator(t *testing.T) {
	opts := wiretest.Database(t)
	c := wiretest.Open(t, opts)
	store := NewMigrationStore(c)
	store.lease = 300 * time.Millisecond
	unlock := musttest.Get(store.Lock(t.Context()))(t)
	musttest.Get(c.Run(t.Context(), wire.Request{SQL: "UPDATE lease:migrate SET holder = 'other', token += 1, expires_at = time::now() + 1h"}))(t)
	<-store.held.Done()
	m := load(t, "DEFINE TABLE a")[0]
	musttest.Is(t, memory.ErrLeaseLost, store.Apply(t.Context(), m, migrate.Applied{Version: 1}), "the error")
	musttest.Do(t, unlock())
	musttest.Fails(t, store.Apply(t.Context(), m, migrate.Applied{Version: 1}), "applied without the lock")
}

func TestAVersionIsNeverAppliedTwice(t *testing.T) {
	c := wiretest.Open(t, wiretest.Database(t))
	store := NewMigrationStore(c)
	unlock := musttest.Get(store.Lock(t.Context()))(t)
	m := load(t, "DEFINE TABLE IF NOT EXISTS a; CREATE a")[0]
	line := migrate.Applied{Version: 1, Name: m.Name, SHA256: m.SHA256, AppliedAt: time.Now()}
	musttest.Do(t, store.Apply(t.Context(), m, line))
	if err := store.Apply(t.Context(), m, line); err == nil || !strings.Contains(err.Error(), m.File) {
		t.Errorf("got %v, want an error with the file", err)
	}
	rows := musttest.Get(c.Run(t.Context(), wire.Request{SQL: "SELECT VALUE id FROM a"}))(t)
	var ids []any
	if err := rows.Decode(0, &ids); err != nil || len(ids) != 1 {
		t.Errorf("got %v, %v, want one row", ids, err)
	}
	musttest.Do(t, unlock())
}

// TestAMigrationOutgrowsSmallBuffers: the engine cannot commit an index larger than its write buffers. It reports that at
// once, loses nothing, and commits it with large buffers.
func TestAMigrationOutgrowsSmallBuffers(t *testing.T) {
	supervisor, opts := wiretest.Engine(t, t.TempDir())
	conn := wiretest.Open(t, opts)
	all := load(t, "DEFINE TABLE wide; DEFINE FIELD a ON wide TYPE string;", "DEFINE INDEX wide_a ON wide FIELDS a;")
	migrator := NewMigrationStore(conn)
	musttest.Get(migrate.Up(t.Context(), migrator, all[:1], migrate.Options{}))(t)
	const rows, batch = 6000, 1000
	for i := range rows / batch {
		query := "FOR $i IN $from..$to { CREATE type::record('wide', $i) SET a = string::concat(<string> $i, string::repeat('x', 4000)) RETURN NONE }"
		musttest.Get(conn.Run(t.Context(), wire.Request{SQL: query, Vars: map[string]any{"from": i * batch, "to": (i + 1) * batch}}))(t)
	}
	_, err := migrate.Up(t.Context(), migrator, all, migrate.Options{})
	if err == nil || !strings.Contains(err.Error(), "0002_m.surql: ") || !strings.Contains(err.Error(), "SURREAL_ROCKSDB_WRITE_BUFFER_SIZE") {
		t.Errorf("with small buffers: %v", err)
	}
	report, err := migrate.Up(t.Context(), migrator, all, migrate.Options{Prepare: supervisor.EnlargeBuffers})
	if err != nil || report.From != 1 || report.To != 2 {
		t.Fatalf("with large buffers: %+v, %v", report, err)
	}
	var found struct{ Rows, Indexed int }
	answer, err := conn.Run(t.Context(), wire.Request{SQL: "RETURN { rows: count(SELECT VALUE id FROM wide), indexed: count(SELECT VALUE id FROM wide WITH INDEX wide_a WHERE a > '') }"})
	if err == nil {
		err = answer.Decode(0, &found)
	}
	if err != nil || found.Rows != rows || found.Indexed != rows {
		t.Errorf("found %+v, %v, want %d", found, err, rows)
	}
}
