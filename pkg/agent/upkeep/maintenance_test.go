package upkeep_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/agenttest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Who asks for a job waits for the one that is running, and not for ever.
func TestAskedForMaintenanceWaitsForWhatIsRunning(t *testing.T) {
	for name, c := range map[string]struct {
		held time.Duration
		is   error
	}{
		"a moment": {3 * time.Second, nil},
		"too long": {time.Minute, memory.ErrHeld},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, store, _ := agenttest.New(t)
				a.Now = time.Now
				if _, err := store.Acquire(t.Context(), "job-dedup", "another agent", c.held); err != nil {
					t.Fatal(err)
				}
				runs, err := a.Upkeep.Consolidate(t.Context(), agentapi.ConsolidateParams{Trigger: "manual", Job: "dedup"})
				if !errors.Is(err, c.is) || err == nil && len(runs) != 1 {
					t.Errorf("%d runs, %v; want the error %v", len(runs), err, c.is)
				}
			})
		})
	}
}

func TestRecountIsARunAndTheSecondFindsNothing(t *testing.T) {
	a, store, s := agenttest.New(t)
	agenttest.Put(t, s, agenttest.Prompt(1, "remember: one two three"))
	if _, err := a.Intake.Ingest(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.Counter = agenttest.OtherCounter{}
	run, err := a.Upkeep.Maintain(t.Context(), consolidate.Request{Job: "recount", Trigger: "manual"})
	if err != nil || run.Changed != 1 {
		t.Fatalf("run %+v, %v; want one change", run, err)
	}
	memories, err := store.Memories(t.Context(), memory.Filter{})
	if err != nil || len(memories) != 1 || memories[0].TokenCount != 100 || memories[0].TokenEncoding != "other" {
		t.Errorf("memories %+v, %v", memories, err)
	}
	if run, err = a.Upkeep.Maintain(t.Context(), consolidate.Request{Job: "recount", Trigger: "manual"}); err != nil || run.Examined != 0 {
		t.Errorf("the second run is %+v, %v", run, err)
	}
	if _, err := a.Upkeep.Maintain(t.Context(), consolidate.Request{Job: "dance", Trigger: "manual"}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("unknown job: %v, want ErrInvalid", err)
	}
}
