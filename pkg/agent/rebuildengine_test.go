package agent_test

import (
	"context"
	"encoding/json"
	"flag"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/surrealtest"
)

var historiesOnEngine = flag.Int("histories", 4, "how many are drawn on a real engine, 100 at most")

// rebuiltContents is all of a store that a rebuild brings back, as its readers see it.
func rebuiltContents(t *rapid.T, store storetest.Store) map[string]any {
	ctx, all := context.Background(), map[string]any{}
	add := func(name string, value any, err error) {
		if err != nil {
			t.Fatalf("read %s: %v", name, err)
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	page, err := store.Rows(ctx, memory.All{Limit: 10_000})
	add("memories", len(page), err)
	for _, row := range page {
		rows, err := store.Rows(ctx, memory.WithIDs{row.Memory.ID})
		add("memory "+row.Memory.ID, rows, err)
		history, err := store.History(ctx, row.Memory.ID)
		history.Injected = nil
		add("history "+row.Memory.ID, history, err)
	}
	runs, err := store.Runs(ctx, memory.RunQuery{Limit: math.MaxInt32})
	add("runs", len(runs), err)
	for _, one := range runs {
		run, err := memory.RunOf(ctx, store, one.ID)
		add("run "+one.ID, run, err)
	}
	sessions, err := store.Sessions(ctx, memory.LastSessions{Limit: 1000, Counted: true})
	add("sessions", sessions, err)
	for _, one := range sessions {
		record, err := memory.RecordOf(ctx, store, one.ID)
		add("session "+one.ID, record, err)
	}
	projects, err := store.Projects(ctx)
	add("projects", projects, err)
	days, err := store.ActiveDays(ctx)
	add("days", days, err)
	queued, err := store.Distillations(ctx, memory.DistillationQuery{
		States: []memory.DistillationState{memory.DistillationWaiting, memory.DistillationRunning, memory.DistillationDone, memory.DistillationDead},
	})
	add("queue", queued, err)
	spent, err := store.Spent(ctx, memory.SpendQuery{})
	add("spent", spent, err)
	return all
}

// TestARebuiltStoreIsTheStoreOnTheEngine draws histories without purges and backups, which
// those of the in-memory store have.
func TestARebuiltStoreIsTheStoreOnTheEngine(t *testing.T) {
	if os.Getenv(enginetest.SharedVariable) == "" {
		t.Skip("an engine of this test's own would outlive it: .build/testengine -- go test ./pkg/agent, as make test does")
	}
	drawn := 0
	rapid.Check(t, func(rt *rapid.T) {
		if drawn++; drawn > *historiesOnEngine {
			return
		}
		original, _ := surrealtest.Open(t)
		fresh, _ := surrealtest.Open(t)
		h := newLife(rt, historyDir(rt), original)
		defer h.close()
		h.onEngine = true
		h.live(rapid.IntRange(10, 30).Draw(rt, "steps"))
		if done := h.replayed(rt, fresh, ""); len(done.Refused)+len(done.Problems) > 0 {
			rt.Fatalf("replayed %+v", done)
		}
		if diff := cmp.Diff(rebuiltContents(rt, original), rebuiltContents(rt, fresh)); diff != "" {
			rt.Fatalf("rebuilt (-original +rebuilt):\n%s", diff)
		}
	})
}
