package backup_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 123456789, time.UTC)

// database is an Archive and a migrate.Store of plain rows: it records its calls, and fails at a chosen one.
type database struct {
	tables  []memory.Table
	rows    map[string][][]byte
	history []migrate.Applied
	mark    string
	asked   []string
	failAt  string // the call that fails
	during  func() // called by CopyOut after the rows
}

var errBroken = errors.New("broken")

func (d *database) ask(call string) error {
	d.asked = append(d.asked, call)
	if d.failAt != "" && strings.HasPrefix(call, d.failAt) {
		return errBroken
	}
	return nil
}

func (d *database) CopyOut(_ context.Context, sink memory.CopySink) error {
	contents := memory.Contents{Schema: []memory.SchemaVersion{}, Tables: d.tables}
	if d.tables == nil { // restored
		for name, rows := range d.rows {
			contents.Tables = append(contents.Tables, memory.Table{Name: name, Rows: len(rows)})
		}
	}
	for _, a := range d.history {
		contents.Schema = append(contents.Schema, memory.SchemaVersion{Version: a.Version, Name: a.Name, SHA256: a.SHA256})
	}
	if err := sink.Begin(contents); err != nil {
		return err
	}
	for _, table := range d.tables {
		for _, row := range d.rows[table.Name] {
			if err := sink.Row(table.Name, row); err != nil {
				return err
			}
		}
	}
	if d.during != nil {
		d.during()
	}
	return d.ask("copied")
}

func (d *database) CopyIn(_ context.Context, table string, rows [][]byte) error {
	d.rows[table] = append(d.rows[table], rows...)
	return d.ask(fmt.Sprintf("insert %d into %s", len(rows), table))
}

func (d *database) BeginRestore(_ context.Context, source string) error {
	if d.mark == "" && len(d.rows) > 0 {
		return memory.ErrNotEmpty
	}
	d.mark, d.rows, d.history = source, map[string][][]byte{}, nil
	return d.ask("begin " + source)
}

func (d *database) EndRestore(context.Context) error { d.mark = ""; return d.ask("end") }

func (d *database) UnfinishedRestore(context.Context) (string, error) { return d.mark, nil }
func (d *database) HasRun(context.Context, string) (bool, error)      { return false, nil }

func (d *database) Lock(context.Context) (func() error, error) {
	return func() error { return nil }, nil
}
func (d *database) History(context.Context) ([]migrate.Applied, error) { return d.history, nil }

func (d *database) Apply(_ context.Context, m migrate.Migration, line migrate.Applied) error {
	d.history = append(d.history, line)
	return d.ask("migrate " + m.Name)
}

func migrations(n int) []migrate.Migration {
	var all []migrate.Migration
	for v := 1; v <= n; v++ {
		all = append(all, migrate.Migration{Version: v, Name: fmt.Sprint("m", v), SHA256: fmt.Sprint("sum", v)})
	}
	return all
}

// full is a database at schema version 2.
func full(t testing.TB) *database {
	t.Helper()
	d := &database{tables: []memory.Table{{Name: "memory", Rows: 1201}, {Name: "empty"}, {Name: "seen_in", Edges: true, Rows: 2}}, rows: map[string][][]byte{}}
	for i := range 1201 {
		d.rows["memory"] = append(d.rows["memory"], []byte(fmt.Sprintf("\x00\xff%d", i)))
	}
	d.rows["seen_in"] = [][]byte{[]byte("a\nb"), {}}
	musttest.Get(migrate.Up(t.Context(), d, migrations(2), migrate.Options{}))(t)
	return d
}

func write(t testing.TB, d *database) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), backup.Name(noon))
	made := musttest.Get(backup.Write(t.Context(), d, path, "1.2.3", noon, "", func() {}))(t)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != made.Bytes {
		t.Errorf("the file is %v (%v), want mode 0600 and %d bytes", info, err, made.Bytes)
	}
	return path
}

func target(d *database, versions int) backup.Target {
	return backup.Target{Store: d, Schema: d, Migrations: migrations(versions), Version: "2.0.0"}
}

func TestABackupIsRestoredAtItsSchemaAndThenMigrated(t *testing.T) {
	from, to := full(t), &database{}
	path := write(t, from)
	header := musttest.Get(backup.Fill(t.Context(), path, target(to, 3)))(t)
	if len(header.Schema) != 2 || header.Product != "1.2.3" || !header.CreatedAt.Equal(noon) || header.Rows() != 1203 {
		t.Errorf("header is %+v", header)
	}
	musttest.Same(t, from.rows, to.rows, "rows (-backed up +restored)")
	want := slices.Concat(
		[]string{"begin " + filepath.Base(path), "migrate m1", "migrate m2"},
		slices.Repeat([]string{"insert 100 into memory"}, 12),
		[]string{"insert 1 into memory", "insert 2 into seen_in", "migrate m3"},
	)
	musttest.Same(t, want, to.asked, "steps (-want +got)")
}

func TestAnUnfinishedRestoreIsMarkedAndCanBeDoneAgain(t *testing.T) {
	path := write(t, full(t))
	for _, step := range []string{"begin", "migrate m2", "insert 100", "insert 2 ", "migrate m3"} {
		to := &database{failAt: step}
		musttest.Is(t, errBroken, musttest.Err(backup.Fill(t.Context(), path, target(to, 3))), "broken at %s", step)
		if to.mark == "" {
			t.Errorf("broken at %s: the database is not marked", step)
		}
		to.failAt = ""
		musttest.Is(t, nil, musttest.Err(backup.Fill(t.Context(), path, target(to, 3))), "broken at %s, the second time", step)
		musttest.Same(t, full(t).rows, to.rows, "broken at %s, rows after the second time", step)
	}
}

func TestAnInvalidBackupIsNotRestored(t *testing.T) {
	good := write(t, full(t))
	whole := musttest.Get(os.ReadFile(good))(t)
	edited := migrations(3)
	edited[1].SHA256 = "other"
	for name, c := range map[string]struct {
		content []byte
		known   []migrate.Migration
		want    error
	}{
		"an older program":          {whole, migrations(1), backup.ErrNewer},
		"another program's schema":  {whole, edited, migrate.ErrEdited},
		"another format version":    {change(t, whole, `"version":1`, `"version":2`), migrations(2), backup.ErrNewer},
		"another product's file":    {change(t, whole, "surrealdb-memory-backup", "other"), migrations(2), backup.ErrForeign},
		"no gzip":                   {[]byte("text"), migrations(2), backup.ErrForeign},
		"cut in the middle":         {whole[:len(whole)/2], migrations(2), backup.ErrDamaged},
		"cut before gzip's own end": {whole[:len(whole)-4], migrations(2), backup.ErrDamaged},
		"without the trailer":       {change(t, whole, `{"end":true`, `{"nd":true`), migrations(2), backup.ErrDamaged},
		"with a row less":           {change(t, whole, `{"table":"seen_in","row":""}`+"\n", ""), migrations(2), backup.ErrDamaged},
		"with something behind":     {append(slices.Clone(whole), change(t, whole, "", "")...), migrations(2), backup.ErrDamaged},
	} {
		path := filepath.Join(t.TempDir(), "b")
		musttest.Do(t, os.WriteFile(path, c.content, 0o600))
		to := &database{}
		_, err := backup.Fill(t.Context(), path, backup.Target{Store: to, Schema: to, Migrations: c.known})
		if !errors.Is(err, c.want) || len(to.asked) > 0 {
			t.Errorf("%s: %v, want %v, asked of the database: %v", name, err, c.want, to.asked)
		}
	}
	to := full(t)
	to.asked = nil
	if _, err := backup.Fill(t.Context(), good, target(to, 2)); !errors.Is(err, memory.ErrNotEmpty) || len(to.asked) > 0 {
		t.Errorf("into a database with rows: %v, %v", err, to.asked)
	}
}

// change replaces a text in compressed data.
func change(t *testing.T, zipped []byte, from, to string) []byte {
	t.Helper()
	r := musttest.Get(gzip.NewReader(bytes.NewReader(zipped)))(t)
	plain := musttest.Get(io.ReadAll(r))(t)
	if !bytes.Contains(plain, []byte(from)) {
		t.Fatalf("there is no %q in it", from)
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(bytes.Replace(plain, []byte(from), []byte(to), 1))
	musttest.Do(t, errors.Join(err, w.Close()))
	return out.Bytes()
}

func TestAFlippedBitIsNoticed(t *testing.T) {
	whole := musttest.Get(os.ReadFile(write(t, full(t))))(t)
	path := filepath.Join(t.TempDir(), "b")
	rapid.Check(t, func(t *rapid.T) {
		bad := slices.Clone(whole)
		at := rapid.IntRange(10, len(bad)-1).Draw(t, "at") // after gzip's header, which has no checksum
		bad[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		musttest.Do(t, os.WriteFile(path, bad, 0o600))
		if _, err := backup.Check(path); err == nil {
			t.Fatal("nothing was noticed")
		}
	})
}

func TestAFailedBackupLeavesNoFile(t *testing.T) {
	d := full(t)
	d.failAt = "copied"
	dir := t.TempDir()
	path := filepath.Join(dir, "b")
	d.during = func() {
		musttest.Is(t, fs.ErrNotExist, musttest.Err(os.Stat(path)), "half a backup has the final name")
	}
	musttest.Is(t, errBroken, musttest.Err(backup.Write(t.Context(), d, path, "", noon, "", func() {})), "write a backup")
	d.failAt, d.rows["memory"] = "", d.rows["memory"][1:] // fewer than announced
	musttest.Fails(t, musttest.Err(backup.Write(t.Context(), d, path, "", noon, "", func() {})), "a backup that lacks a row was written")
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	path = write(t, full(t))
	musttest.Is(t, memory.ErrInvalid, musttest.Err(backup.Write(t.Context(), full(t), path, "", noon, "", func() {})), "wrote over a backup")
}

func TestAllOfTheNewestDayAndTheNewestOfOtherDaysAreKept(t *testing.T) {
	dir := t.TempDir()
	touch := func(name string) string {
		path := filepath.Join(dir, name)
		musttest.Do(t, os.WriteFile(path, nil, 0o600))
		return path
	}
	var kept []string
	for day := 1; day <= 9; day += 2 { // every second day
		for hour := range 3 {
			path := touch(backup.Name(noon.AddDate(0, 0, -day).Add(time.Duration(hour) * time.Hour)))
			if hour == 2 && day <= 5 || day == 1 {
				kept = append(kept, path)
			}
		}
	}
	slices.Sort(kept)
	slices.Reverse(kept)
	touch("." + backup.Name(noon) + ".unfinished-1") // of a killed writer
	others := []string{touch("before-restore-20260101T000000.000Z.jsonl.gz"), touch("notes.txt")}
	deleted, err := backup.Rotate(dir, 3)
	if err != nil || len(deleted) != 10 {
		t.Errorf("deleted %d, %v, want 10", len(deleted), err)
	}
	left := musttest.Get(backup.List(dir))(t)
	musttest.Same(t, kept, left, "left (-want +got)")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(kept)+len(others) {
		t.Errorf("%d entries are left, want %d: %v", len(entries), len(kept)+len(others), entries)
	}
	if left, err := backup.List(filepath.Join(dir, "nowhere")); err != nil || left != nil {
		t.Errorf("a directory that is not there: %v, %v", left, err)
	}
}

func TestRotationKeepsAllOfTheNewestDay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var paths []string
		for _, minute := range rapid.SliceOfNDistinct(rapid.IntRange(0, 100_000), 1, 40, rapid.ID[int]).Draw(t, "minutes") {
			paths = append(paths, backup.Name(noon.Add(time.Duration(minute)*time.Minute)))
		}
		slices.Sort(paths)
		slices.Reverse(paths)
		keep := rapid.IntRange(1, 10).Draw(t, "keep")
		expired := backup.Expired(paths, keep)
		day := func(path string) string { at, _ := backup.MadeAt(path); return at.Format(time.DateOnly) }
		days := map[string]bool{}
		left := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return slices.Contains(expired, p) })
		for _, path := range left {
			days[day(path)] = true
		}
		if len(days) > keep {
			t.Fatalf("%d days are left, want at most %d", len(days), keep)
		}
		for _, path := range paths {
			if day(path) == day(paths[0]) && !slices.Contains(left, path) {
				t.Fatal("one of the newest day expired")
			}
		}
		if again := backup.Expired(left, keep); len(again) > 0 {
			t.Fatalf("rotating twice deletes %v", again)
		}
	})
}
