package briefing_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/agenttest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/schedule"
)

// Maintenance waits, because a new session often starts when one has ended or the agent has started.
func TestMaintenanceKeepsOffForAWhile(t *testing.T) {
	for name, begin := range map[string]func(*testing.T, *agenttest.Fixture){
		"a session has ended": func(t *testing.T, a *agenttest.Fixture) {
			agenttest.Ingested(t, a, agenttest.Event(1, memory.EventSessionEnded))
			a.Upkeep.AfterSessions(t.Context())
		},
		"the agent has started": func(t *testing.T, a *agenttest.Fixture) {
			t.Cleanup(a.Upkeep.Start(t.Context()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, store, _ := agenttest.New(t)
				a.Now = time.Now
				ran := func() bool {
					synctest.Wait()
					job, err := store.Job(t.Context(), schedule.Prune)
					runs, errRuns := store.Runs(t.Context(), memory.RunQuery{Limit: 10})
					if err != nil || errRuns != nil {
						t.Fatal(err, errRuns)
					}
					return !job.Slot.IsZero() || len(runs) > 0
				}
				begin(t, a)
				time.Sleep(a.Config.Maintenance.Quiet - time.Second)
				if ran() {
					t.Error("maintenance did not wait")
				}
				time.Sleep(2 * time.Second)
				if !ran() {
					t.Error("maintenance never ran")
				}
			})
		})
	}
}

func TestAPurgeForgetsTheUsesThatAreNotStored(t *testing.T) {
	a, m := withOneMemory(t)
	elsewhere := agenttest.Prompt(2, "of another project")
	elsewhere.Session, elsewhere.Project.Key = "s9", "other"
	agenttest.Ingested(t, a, elsewhere)
	a.Sessions.Recalled("s", []string{m.ID}, agenttest.Noon)
	if _, err := a.Projects.Purge(t.Context(), agentapi.PurgeParams{Key: "other"}); err != nil {
		t.Fatal(err)
	}
	if got := usesOf(t, a, m.ID); got != 0 {
		t.Errorf("%d uses are stored after the purge", got)
	}
}
