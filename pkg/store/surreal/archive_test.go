package surreal

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// rowsOf is a sink that keeps everything.
type rowsOf struct {
	contents memory.Contents
	rows     []string
}

func (r *rowsOf) Begin(c memory.Contents) error {
	r.contents = c
	return nil
}

func (r *rowsOf) Row(table string, row []byte) error {
	text, err := cbor.Diagnose(row)
	r.rows = append(r.rows, table+" "+text+fmt.Sprintf(" %x", row))
	return err
}

func allRows(t *testing.T, store *Store) *rowsOf {
	t.Helper()
	var all rowsOf
	musttest.Do(t, store.CopyOut(t.Context(), &all))
	return &all
}

// restoreTarget returns an empty database as a target of pkg/store/backup.
func restoreTarget(t testing.TB, all []migrate.Migration) (*Store, backup.Target) {
	t.Helper()
	store := NewStore(emptyDatabase(t))
	return store, backup.Target{Store: store, Schema: NewMigrationStore(store.conn), Migrations: all, Version: "test"}
}

func migrateTo(t *testing.T, all []migrate.Migration) *Store {
	t.Helper()
	store, target := restoreTarget(t, all)
	musttest.Get(migrate.Up(t.Context(), target.Schema, all, migrate.Options{}))(t)
	return store
}

func writeBackup(t *testing.T, store *Store) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "b.jsonl.gz")
	musttest.Get(backup.Write(t.Context(), store, path, "test", time.Now(), "", func() {}))(t)
	return path
}

// TestEveryTableComesBackFromABackup fills every table of the schema, and compares the rows restored from a backup with the
// original ones byte by byte. A first restore is interrupted, which is marked until it is done again.
func TestEveryTableComesBackFromABackup(t *testing.T) {
	all := musttest.Get(migrate.Load(migrations.FS))(t)
	full := migrateTo(t, all)
	for i := range 3 {
		fillEveryTable(t, full, i)
	}
	want := allRows(t, full)
	for _, table := range want.contents.Tables {
		musttest.Same(t, 3, table.Rows, "how many rows the table %s has", table.Name)
	}
	path := writeBackup(t, full)
	store, target := restoreTarget(t, all)
	requireMark := func(want string) {
		t.Helper()
		if source, err := store.UnfinishedRestore(t.Context()); err != nil || source != want {
			t.Errorf("marked with %q, %v, want %q", source, err, want)
		}
	}
	target.Store = stopping{Store: store, table: "session"}
	if _, err := backup.Fill(t.Context(), path, target); !errors.Is(err, errStopped) {
		t.Fatalf("error %v, want that of the interruption", err)
	}
	requireMark(filepath.Base(path))
	target.Store = store
	header, err := backup.Fill(t.Context(), path, target)
	musttest.Do(t, errors.Join(err, store.EndRestore(t.Context())))
	requireMark("")
	musttest.Is(t, memory.ErrNotEmpty, musttest.Err(backup.Fill(t.Context(), path, target)), "restored over a full database")
	musttest.Same(t, len(all), len(header.Schema), "schema version")
	got := allRows(t, store)
	musttest.Same(t, "", cmp.Diff(want, got, cmp.AllowUnexported(rowsOf{})), "restored (-original +restored)")
	musttest.Same(t, describe(t, full.conn), describe(t, store.conn), "schema after the restore (-original +restored)")
}

// fillEveryTable adds a row to each table, according to the types of its fields.
func fillEveryTable(t *testing.T, store *Store, n int) {
	t.Helper()
	tables := musttest.Get(memory.TablesOf(t.Context(), store))(t)
	for _, table := range tables {
		result := musttest.Get(store.conn.ExecIdempotent(t.Context(), "INFO FOR TABLE "+wire.Quoted(table.Name)+" STRUCTURE", nil))(t)
		var info struct {
			Fields []struct {
				Name, Kind, Value, Assert, Computed string
			} `json:"fields"`
		}
		musttest.Do(t, result.Decode(0, &info))
		row := map[string]any{"id": recordID(table.Name, fmt.Sprint("row ", n))}
		for _, field := range info.Fields {
			if field.Value == "" && field.Computed == "" && !strings.ContainsAny(field.Name, ".*[") {
				row[strings.Trim(field.Name, "`")] = valueOf(t, field.Kind, field.Assert, n)
			}
		}
		insert := "INSERT INTO "
		if table.Edges {
			insert = "INSERT RELATION INTO "
		}
		if _, err := store.conn.ExecIdempotent(t.Context(), insert+wire.Quoted(table.Name)+" $row", map[string]any{"row": row}); err != nil {
			t.Fatalf("fill %s with %v: %v", table.Name, row, err)
		}
	}
}

// valueOf returns a value of a type as the engine describes it; for a list, one that the assertion allows.
func valueOf(t *testing.T, kind, assert string, n int) any {
	t.Helper()
	if _, listed, ok := strings.Cut(assert, "INSIDE ['"); ok {
		return listed[:strings.Index(listed, "'")]
	}
	kind = strings.TrimPrefix(kind, "none | ")
	switch {
	case kind == "string":
		return strings.Repeat(fmt.Sprintf("te\x01xt é %d", n), 8)
	case kind == "int", kind == "number":
		return n
	case kind == "float":
		return float64(n) / 2
	case kind == "bool":
		return n%2 == 0
	case kind == "datetime":
		return models.CustomDateTime{Time: time.Date(2026, 1, 2, 3, 4, 5, 600+n, time.UTC)}
	case kind == "duration":
		return models.CustomDuration{Duration: time.Duration(n) + time.Hour}
	case strings.HasPrefix(kind, "array<"), strings.HasPrefix(kind, "set<"):
		inner, _, _ := strings.Cut(kind[strings.Index(kind, "<")+1:len(kind)-1], ",")
		return []any{valueOf(t, inner, "", n), valueOf(t, inner, "", n+1)}
	case kind == "array":
		return []any{n, "x"}
	case kind == "object":
		return map[string]any{"whole": 1.0, "int": 1, "deep": map[string]any{"list": []any{nil, true, n}}}
	case strings.HasPrefix(kind, "record<"):
		return recordID(strings.TrimSuffix(strings.TrimPrefix(kind, "record<"), ">"), fmt.Sprint("row ", n))
	case kind == "bytes":
		return []byte{0, 255, byte(n)}
	}
	t.Fatalf("a field has the kind %q: teach this test to make such a value", kind)
	return nil
}

var errStopped = errors.New("stopped")

// stopping fails at the rows of one table.
type stopping struct {
	*Store
	table string
}

func (s stopping) CopyIn(ctx context.Context, table string, rows [][]byte) error {
	if table == s.table {
		return errStopped
	}
	return s.Store.CopyIn(ctx, table, rows)
}
