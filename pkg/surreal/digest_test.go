package surreal

import (
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// TestADigestIsReplacedWhole: MERGE would keep the fields of the one before.
func TestADigestIsReplacedWhole(t *testing.T) {
	store := openStore(t)
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	session := memory.Session{ID: "s", Project: "p", State: memory.SessionActive, StateAt: at, StartedAt: at, LastEventAt: at}
	digests := []memory.Digest{{Request: "a", Completed: "b"}, {Request: "a"}}
	for _, d := range digests {
		batch := memory.Batch{Sessions: []memory.Session{session}, Summaries: []memory.SessionSummary{{Session: "s", Summary: memory.Summary{Text: "t", Digest: d}}}}
		if err := store.Ingest(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	found, err := store.Sessions(t.Context(), memory.SessionQuery{IDs: []string{"s"}})
	if err != nil || len(found) != 1 || !found[0].Summary.Digest.Equal(digests[1]) {
		t.Fatalf("%+v, %v", found, err)
	}
}
