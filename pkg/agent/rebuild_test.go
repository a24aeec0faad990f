package agent_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/memstore"
)

func TestARebuildDoesNotBringBackTheUndone(t *testing.T) {
	pinned := true
	for name, change := range map[string]memory.Change{
		"forgotten": {Status: memory.StatusArchived, Reason: "wrong"},
		"pinned":    {Pinned: &pinned},
		"promoted":  {Scope: memory.ScopeUser},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecording(t, t.TempDir())
			r.ingest(t, remembered(1, "the port is 6543"))
			id := memory.NewID(memory.ScopeProject, "p", "the port is 6543")
			change.ID, change.At, change.By = "c1", noon.Add(time.Minute), "cli"
			if _, err := r.Intake.Amend(t.Context(), agentapi.AmendParams{Project: "p", ID: id, Change: change}); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Upkeep.Undo(t.Context(), agentapi.UndoParams{Run: "c1"}); err != nil {
				t.Fatal(err)
			}
			fresh := memstore.New()
			r.replayed(t, fresh, time.Time{})
			if diff := cmp.Diff(rebuilt(rowsOf(t, r.inner)), rebuilt(rowsOf(t, fresh))); diff != "" {
				t.Errorf("rebuilt (-original +rebuilt):\n%s", diff)
			}
		})
	}
}

// rebuilt are the rows that a rebuild brings back; docs/backup.md names the others.
func rebuilt(rows []string) []string {
	return slices.DeleteFunc(rows, func(row string) bool {
		table, _, _ := strings.Cut(row, " ")
		return table == "maintenance_job" || table == "band" || table == "injected_in"
	})
}
