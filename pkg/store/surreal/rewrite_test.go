package surreal

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
)

const oldSecret = "zebra-crossing"

func withoutOldSecret(text string) string {
	return strings.ReplaceAll(text, oldSecret, "[redacted:test]")
}

// storeWithSecrets has a secret in every table with texts.
func storeWithSecrets(t *testing.T) *Store {
	t.Helper()
	all := musttest.Get(migrate.Load(migrations.FS))(t)
	store := migrateTo(t, all)
	for i := range 2 {
		fillEveryTable(t, store, i)
	}
	for _, sql := range []string{
		"UPDATE memory SET content = 'the code is " + oldSecret + "', tags = ['" + oldSecret + "']",
		"UPDATE prompt SET text = '" + oldSecret + "'",
		"UPDATE session SET summary = 'with " + oldSecret + "'",
		"UPDATE event SET events = [{ id: 'e', kind: 'turn_ended', text: '" + oldSecret + "' }]",
	} {
		if _, err := store.conn.ExecIdempotent(t.Context(), sql, nil); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	return store
}

func TestASweepLeavesNoSecretAndTouchesNothingElse(t *testing.T) {
	store := storeWithSecrets(t)
	before := allRows(t, store)
	want := memory.Swept{Deleted: map[string]int{}, Cleaned: map[string]int{"memory": 2, "prompt": 2, "session": 2, "event": 2}}
	found, err := store.Sweep(t.Context(), false, memory.Sweep{Clean: withoutOldSecret})
	if diff := cmp.Diff(want, found); err != nil || diff != "" {
		t.Fatalf("%v, rows (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff(before, allRows(t, store), cmp.AllowUnexported(rowsOf{})); diff != "" {
		t.Fatalf("only looking has changed something:\n%s", diff)
	}
	found, err = store.Sweep(t.Context(), true, memory.Sweep{Clean: withoutOldSecret})
	if diff := cmp.Diff(want, found); err != nil || diff != "" {
		t.Fatalf("%v, rows (-want +got):\n%s", err, diff)
	}
	after := allRows(t, store)
	if text := strings.Join(after.rows, "\n"); strings.Contains(text, oldSecret) || strings.Count(text, "[redacted:test]") < 10 {
		t.Errorf("it is still there: %s", text)
	}
	for i, row := range before.rows {
		if !strings.Contains(row, oldSecret) && !slices.Contains(after.rows, row) {
			t.Errorf("a row without a secret has changed:\n%s\n%s", row, after.rows[i])
		}
	}
	if again, err := store.Sweep(t.Context(), true, memory.Sweep{Clean: withoutOldSecret}); err != nil || len(again.Cleaned) > 0 {
		t.Errorf("a second run found %v, %v", again, err)
	}
}

func TestABackupIsRewrittenLikeTheStore(t *testing.T) {
	store := storeWithSecrets(t)
	path := writeBackup(t, store)
	clean := func(table string, row []byte) ([]byte, bool, error) {
		return SweepRow(table, row, memory.Sweep{Clean: withoutOldSecret})
	}
	for _, apply := range []bool{false, true} {
		if rows, err := backup.Rewrite(path, apply, clean); err != nil || rows != 8 {
			t.Fatalf("apply %v: %d rows, %v; want 8", apply, rows, err)
		}
	}
	if rows, err := backup.Rewrite(path, true, clean); err != nil || rows != 0 {
		t.Errorf("a second run found %d rows, %v", rows, err)
	}
	musttest.Get(store.Sweep(t.Context(), true, memory.Sweep{Clean: withoutOldSecret}))(t)
	all := musttest.Get(migrate.Load(migrations.FS))(t)
	restored, target := restoreTarget(t, all)
	musttest.Get(backup.Fill(t.Context(), path, target))(t)
	want, got := countOf(t, store), countOf(t, restored)
	musttest.Same(t, want, got, "restored (-store +restored)")
	if text := strings.Join(allRows(t, restored).rows, "\n"); strings.Contains(text, oldSecret) || !strings.Contains(text, "[redacted:test]") {
		t.Error("the restored rows hold it still")
	}
}

func countOf(t *testing.T, store *Store) map[string]int {
	t.Helper()
	tables := musttest.Get(memory.TablesOf(t.Context(), store))(t)
	return maps.Collect(func(yield func(string, int) bool) {
		for _, table := range tables {
			if !yield(table.Name, table.Rows) {
				return
			}
		}
	})
}

func TestAPurgedMemorySupersedesNothing(t *testing.T) {
	store := migrateTo(t, musttest.Get(migrate.Load(migrations.FS))(t))
	row := func(id, by string) memory.RowChange {
		return memory.RowChange{After: memory.Row{SupersededBy: by, Memory: memory.Memory{
			ID: id, Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote, Status: memory.StatusActive, Content: id,
		}}}
	}
	rows := []memory.RowChange{row("old", "fact"), row("fact", ""), row("other", "newer"), row("newer", "")}
	musttest.Do(t, store.Apply(t.Context(), memory.Write{Rows: rows}))
	sweep := memory.Sweep{Clean: func(text string) string { return text }, Memories: map[string]bool{"fact": true}}
	musttest.Get(store.Sweep(t.Context(), true, sweep))(t)
	for id, want := range map[string]string{"old": "", "other": "newer"} {
		left := musttest.Get(store.Rows(t.Context(), memory.WithIDs{id}))(t)
		if len(left) != 1 || left[0].SupersededBy != want {
			t.Errorf("%s: %+v, want superseded by %q", id, left, want)
		}
	}
	musttest.Same(t, "", sweep.Rest(rows[0].After).(memory.Row).SupersededBy, "the journal's row is superseded by")
}
