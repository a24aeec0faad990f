package surreal

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestAPurgeOfEverythingTakesTablesOfAnyName: other programs may keep tables beside ours in a database.
func TestAPurgeOfEverythingTakesTablesOfAnyName(t *testing.T) {
	store := openStore(t)
	names := []string{"a.b", "日本", "123", "a b", "select", "a-b", "x⟩y", "⟨", "a`b", `a\`, "a\nb", strings.Repeat("n", 100)}
	for _, name := range names {
		if _, err := store.conn.ExecIdempotent(t.Context(), "CREATE type::table($name)", map[string]any{"name": name}); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	musttest.Get(store.Purge(t.Context(), ""))(t)
	for _, name := range names {
		var rows []map[string]any
		result, err := store.conn.ExecIdempotent(t.Context(), "SELECT VALUE {} FROM type::table($name)", map[string]any{"name": name})
		if err == nil {
			err = result.Decode(0, &rows)
		}
		if err != nil || len(rows) > 0 {
			t.Errorf("%q has %d rows: %v", name, len(rows), err)
		}
	}
}

// TestAPurgeTakesSeveralTransactions has more memories than one transaction deletes, and memories of another project among them.
func TestAPurgeTakesSeveralTransactions(t *testing.T) {
	store := openStore(t)
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	const ours, theirs = purgeBatch + 100, 20
	first := memory.Batch{
		Projects: []memory.Project{{Key: "p", Name: "p", Root: "/p", SeenAt: noon}, {Key: "q", Name: "q", Root: "/q", SeenAt: noon}},
		Sessions: []memory.Session{{ID: "s", Project: "p", State: memory.SessionActive, StartedAt: noon, LastEventAt: noon}},
	}
	musttest.Do(t, store.Ingest(t.Context(), first))
	var batch memory.Batch
	for i := range ours + theirs {
		m := memory.Memory{
			Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote, Status: memory.StatusActive,
			Content: fmt.Sprintf("changed file %d", i), CreatedAt: noon, LastSeenAt: noon,
		}
		if i%(ours/theirs) == 0 && i/(ours/theirs) < theirs {
			m.Project = "q"
		}
		m.ID = memory.NewID(m.Scope, m.Project, m.Content)
		batch.Memories = append(batch.Memories, m)
		batch.Sightings = append(batch.Sightings, memory.Sighting{ID: fmt.Sprint("e", i), Memory: m.ID, Session: "s", At: noon})
		if len(batch.Memories) < 100 && i+1 < ours+theirs { // a transaction's cost grows faster than its size
			continue
		}
		musttest.Do(t, store.Ingest(t.Context(), batch))
		batch = memory.Batch{}
	}
	purged := musttest.Get(store.Purge(t.Context(), "p"))(t)
	musttest.Same(t, memory.Holding{Memories: ours, Sessions: 1}, purged, "purged (-want +got)")
	totals := musttest.Get(store.Totals(t.Context(), memory.Counts("")))(t)
	// The session belonged to the project, so all of its sightings are deleted.
	musttest.Same(t, memory.Stats{Memories: theirs, Projects: 1}, totals.Stats, "left (-want +got)")
}
