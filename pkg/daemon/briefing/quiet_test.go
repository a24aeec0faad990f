package briefing_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Maintenance waits, because a new session often starts when one has ended or the daemon has started.
func TestMaintenanceKeepsOffForAWhile(t *testing.T) {
	for name, begin := range map[string]func(*testing.T, *daemontest.Fixture){
		"a session has ended": func(t *testing.T, a *daemontest.Fixture) {
			daemontest.Ingested(t, a, daemontest.Event(1, memory.EventSessionEnded))
			a.Upkeep.AfterSessions(t.Context())
		},
		"the daemon has started": func(t *testing.T, a *daemontest.Fixture) {
			t.Cleanup(a.Upkeep.Start(t.Context()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, store, _ := daemontest.New(t)
				a.Now = time.Now
				ran := func() bool {
					synctest.Wait()
					job, err := memory.StateOf(t.Context(), store, schedule.Prune)
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
	elsewhere := daemontest.Prompt(2, "of another project")
	elsewhere.Session, elsewhere.Project.Key = "s9", "other"
	daemontest.Ingested(t, a, elsewhere)
	a.Sessions.Recalled("s", []string{m.ID}, daemontest.Noon)
	musttest.Get(a.Projects.Purge(t.Context(), daemonapi.PurgeParams{Key: "other"}))(t)
	if got := usesOf(t, a, m.ID); got != 0 {
		t.Errorf("%d uses are stored after the purge", got)
	}
}
