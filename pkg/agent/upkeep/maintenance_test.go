package upkeep_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/agenttest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
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
