package surreal

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// withTheNext returns the migrations and one of a future version.
func withTheNext(t *testing.T) []migrate.Migration {
	t.Helper()
	dir := t.TempDir()
	musttest.Do(t, os.CopyFS(dir, migrations.FS))
	text := musttest.Get(os.ReadFile("testdata/next.surql"))(t)
	all, err := migrate.Load(migrations.FS)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d_next.surql", len(all)+1)), text, 0o600)
	}
	musttest.Do(t, err)
	all, err = migrate.Load(os.DirFS(dir))
	musttest.Do(t, err)
	return all
}

// TestARowOfAnEarlierSchemaCanBeChanged: a migration that adds a column must fill it in the
// existing rows, or the engine refuses every later change of them.
func TestARowOfAnEarlierSchemaCanBeChanged(t *testing.T) {
	all := withTheNext(t)
	for n := 1; n < len(all); n++ {
		store := migrateTo(t, all[:n])
		fillEveryTable(t, store, 0)
		before := allRows(t, store).contents.Tables
		musttest.Get(migrate.Up(t.Context(), NewMigrationStore(store.conn), all, migrate.Options{}))(t)
		musttest.Same(t, before, allRows(t, store).contents.Tables, "after schema %d (-before +after)", n)
		hasTheNext(t, store.conn)
		for _, table := range before {
			musttest.Is(t, nil, musttest.Err(store.conn.ExecIdempotent(t.Context(), "UPDATE "+wire.Quoted(table.Name)+" RETURN NONE", nil)), "a row of schema %d cannot be changed", n)
		}
	}
}

// TestABackupOfAnEarlierSchemaComesBack with the columns that were added since.
func TestABackupOfAnEarlierSchemaComesBack(t *testing.T) {
	all := withTheNext(t)
	earlier := migrateTo(t, all[:len(all)-1])
	fillEveryTable(t, earlier, 0)
	restored, target := restoreTarget(t, all)
	musttest.Get(backup.Fill(t.Context(), writeBackup(t, earlier), target))(t)
	hasTheNext(t, restored.conn)
}

// hasTheNext checks the memories for the field that the future migration adds.
func hasTheNext(t *testing.T, conn *wire.Conn) {
	t.Helper()
	result := musttest.Get(conn.ExecIdempotent(t.Context(), "SELECT VALUE later FROM memory", nil))(t)
	var later []bool
	if err := result.Decode(0, &later); err != nil || len(later) != 1 || later[0] {
		t.Errorf("the column is %v, %v", later, err)
	}
}

// TestSourceIsChecked: the database refuses an unknown source.
func TestSourceIsChecked(t *testing.T) {
	store := openStore(t)
	m := memory.Memory{
		ID: "a", Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote, Status: memory.StatusActive,
		Content: "x", Source: "oracle", CreatedAt: time.Unix(1, 0), LastSeenAt: time.Unix(1, 0),
	}
	musttest.Fails(t, store.Ingest(t.Context(), memory.Batch{Memories: []memory.Memory{m}}), "a memory of an unknown source was stored")
}
