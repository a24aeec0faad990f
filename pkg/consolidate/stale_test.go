package consolidate_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/memstore"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/surrealtest"
)

// lookedAt has the paths of the files below /p that have changed.
type lookedAt map[string]bool

func (l lookedAt) HaveChanged(_ context.Context, root string, prints map[string]string) bool {
	for path := range prints {
		if root == "/p" && l[path] {
			return true
		}
	}
	return false
}

// A run lowers memories about changed files, records the reason, and can be undone; later runs
// leave an undone change alone.
func TestStaleRowsAreLoweredAndThatIsUndone(t *testing.T) {
	for name, open := range map[string]func(*testing.T) storetest.Store{
		"in memory": func(*testing.T) storetest.Store { return memstore.New() },
		"SurrealDB": func(t *testing.T) storetest.Store {
			store, _ := surrealtest.Open(t)
			return store
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			prompt := memory.Event{
				ID: "e1", At: noon, Kind: memory.EventPrompt, Session: "s", Project: memory.Project{Key: "p", Name: "p", Root: "/p"},
				Prompt:       "We never round in shop/price.go.\nWe always sort in shop/list.go.",
				Fingerprints: map[string]string{"shop/price.go": "x", "shop/list.go": "y"},
			}
			other := prompt
			other.ID, other.Session, other.Project = "e2", "s2", memory.Project{Key: "q", Name: "q", Root: "/elsewhere"}
			if err := store.Ingest(t.Context(), ingest.Batch([]memory.Event{prompt, other}, wordCounter{})); err != nil {
				t.Fatal(err)
			}
			files := lookedAt{"shop/price.go": true}
			runner := runnerAt(store, noon.Add(time.Hour))
			runner.Files = files
			run := func() memory.Run {
				t.Helper()
				done, err := runner.Run(t.Context(), consolidate.Request{Job: schedule.Stale, Trigger: "manual"})
				if err != nil {
					t.Fatal(err)
				}
				return done
			}
			lowered := func() []string {
				t.Helper()
				all, err := memory.Memories(t.Context(), store, memory.Filter{})
				if err != nil {
					t.Fatal(err)
				}
				var found []string
				for _, m := range all {
					if slices.Contains(m.Tags, policy.TagStale) {
						found = append(found, m.Project+": "+m.Content)
					}
				}
				return found
			}
			first := run()
			if diff := cmp.Diff([]string{"p: We never round in shop/price.go."}, lowered()); diff != "" || first.Changed != 1 {
				t.Errorf("lowered (-want +got):\n%s\nby %+v", diff, first)
			}
			if again := run(); again.Changed != 0 {
				t.Errorf("again it changes %+v", again.Actions)
			}
			undone, err := runner.Undo(t.Context(), first.ID, "manual")
			if err != nil || undone.Changed != 1 || lowered() != nil {
				t.Errorf("the undo is %+v, %v, and left is %q", undone, err, lowered())
			}
			if again := run(); again.Changed != 0 || lowered() != nil {
				t.Errorf("after the undo it changes %+v", again.Actions)
			}
		})
	}
}
