package agent

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/memstore"
)

type noTokens struct{}

func (noTokens) Count(string) int { return 0 }
func (noTokens) Encoding() string { return "none" }

// Another session often starts when one has ended or the agent has started.
func TestMaintenanceKeepsOffForAWhile(t *testing.T) {
	for name, begin := range map[string]func(*testing.T, *Service){
		"a session has ended": func(t *testing.T, s *Service) {
			s.Agent.ended.Store(true)
			s.sessionsEnded(t.Context())
		},
		"the agent has started": func(t *testing.T, s *Service) {
			crons := s.schedule(t.Context())
			t.Cleanup(func() { <-crons.Stop().Done() })
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := memstore.New()
				s := &Service{state: stateReady, Agent: &Agent{
					Store: store, Counter: noTokens{}, Config: config.Default(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
				}}
				ran := func() bool {
					synctest.Wait()
					job, err := store.Job(t.Context(), consolidate.Prune)
					runs, errRuns := store.Runs(t.Context(), 10)
					if err != nil || errRuns != nil {
						t.Fatal(err, errRuns)
					}
					return !job.Slot.IsZero() || len(runs) > 0
				}
				begin(t, s)
				time.Sleep(s.Agent.Config.Maintenance.Quiet - time.Second)
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
	a := &Agent{}
	a.recalled("s", []string{"m"}, time.Now())
	if len(a.injections.uses) != 1 {
		t.Fatal("the use was not noted")
	}
	a.forgetUnsaved()
	if len(a.injections.uses)+len(a.injections.unsaved) > 0 {
		t.Error("a use is stored after the purge")
	}
}
