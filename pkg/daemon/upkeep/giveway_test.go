package upkeep_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// flooded is a daemon that ingests two events at once, and a function that has it ingest a
// burst.
func flooded(t *testing.T, store *slotStore, change ...func(*config.Maintenance)) (a *daemontest.Fixture, burst func()) {
	t.Helper()
	a = daemonOn(store, change...)
	s := spool.New(filepath.Join(t.TempDir(), "spool"))
	a.Config.Daemon.BatchSize, a.Spools = 2, []*spool.Spool{s}
	a.Rebuild()
	var n atomic.Int64
	return a, func() {
		t.Helper()
		for range 3 {
			e := daemontest.Prompt(int(n.Add(1)), fmt.Sprint("prompt ", n.Load()))
			e.At = time.Now()
			daemontest.Put(t, s, e)
		}
		if done, err := a.Intake.Ingest(t.Context()); err != nil || done.Events != 3 {
			t.Fatalf("a burst: %+v, %v", done, err)
		}
	}
}

// ranJobs are the jobs of which a run has ended, with their notes.
func ranJobs(t *testing.T, store *slotStore) map[string]string {
	t.Helper()
	synctest.Wait()
	runs, err := store.Runs(t.Context(), memory.RunQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]string{}
	for _, run := range runs {
		if !run.EndedAt.IsZero() {
			ran[run.Job] = strings.Join(run.Notes, "; ")
		}
	}
	return ran
}

// Due background work waits while a burst is ingested, is logged as waiting, and runs when no event
// has come for a while: by the clock, after a session, beside an idle teammate, and missed
// jobs.
func TestMaintenanceWaitsForABurstToBeOver(t *testing.T) {
	for name, trigger := range map[string]func(*testing.T, *daemontest.Fixture){
		"a teammate is idle": func(t *testing.T, a *daemontest.Fixture) { a.Upkeep.Idle(t.Context()) },
		"a session has ended": func(t *testing.T, a *daemontest.Fixture) {
			ended := daemontest.Event(900, memory.EventSessionEnded)
			daemontest.Put(t, a.Spools[0], ended)
			if _, err := a.Intake.Ingest(t.Context()); err != nil {
				t.Fatal(err)
			}
			a.Upkeep.Config.Maintenance.Quiet = 0
			a.Upkeep.AfterSessions(t.Context())
		},
		"missed jobs": func(t *testing.T, a *daemontest.Fixture) { t.Cleanup(startUpkeep(t, a)) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newSlotStore(t)
				store.happen(t, 0)
				a, burst := flooded(t, store)
				if over, _ := a.Intake.Burst(); over != nil {
					t.Error("there is a burst before any event")
				}
				burst()
				began := time.Now()
				trigger(t, a)
				for range 10 { // bursts in a row are one
					time.Sleep(4 * time.Second)
					burst()
				}
				if ran := ranJobs(t, store); len(ran) > 0 {
					t.Errorf("ran beside a burst: %v", ran)
				}
				first := schedule.JobNames()[0]
				want := &daemonapi.BurstStatus{Since: began.UTC(), Waiting: []daemonapi.JobWait{
					{Job: first, Since: began.UTC(), Until: began.Add(15 * time.Minute).UTC()},
				}}
				if diff := cmp.Diff(want, a.Upkeep.GivesWayTo()); diff != "" {
					t.Errorf("the waiting jobs (-want +got):\n%s", diff)
				}
				time.Sleep(6 * time.Second)
				if ran := ranJobs(t, store); len(ran) != len(schedule.JobNames()) {
					t.Errorf("after the burst there ran %v", ran)
				}
				if burst := a.Upkeep.GivesWayTo(); burst != nil {
					t.Errorf("there is still %s", burst)
				}
			})
		})
	}
}

// A slot that waited runs once, for the newest of the times that have come meanwhile.
func TestASlotThatWaitedRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlotStore(t)
		a, burst := flooded(t, store, func(m *config.Maintenance) {
			m.Crons, m.Jitter = map[string]string{"dedup": "*/5 * * * *"}, 0
		})
		time.Sleep(time.Minute) // not at a slot
		defer startUpkeep(t, a)()
		synctest.Wait()
		began := time.Now()
		for range 3 * 60 { // twelve minutes
			burst()
			time.Sleep(4 * time.Second)
		}
		if ran := store.ran(schedule.Dedup, began); len(ran) > 0 {
			t.Errorf("ran beside a burst for %v", ran)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		want := []time.Time{time.Now().Truncate(5 * time.Minute).UTC()}
		if diff := cmp.Diff(want, store.ran(schedule.Dedup, began), byTime); diff != "" {
			t.Errorf("ran (-want +got):\n%s", diff)
		}
		time.Sleep(time.Minute) // before the next
		synctest.Wait()
		if len(store.ran(schedule.Dedup, began)) != 1 || len(store.twice) > 0 {
			t.Errorf("ran for %v, twice %v", store.ran(schedule.Dedup, began), store.twice)
		}
	})
}

// A burst without end does not starve maintenance: all jobs of a round together wait no
// longer than its patience.
func TestMaintenanceDoesNotStarve(t *testing.T) {
	for name, patience := range map[string]time.Duration{"the default": 15 * time.Minute, "none": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newSlotStore(t)
				store.happen(t, 0)
				a, burst := flooded(t, store, func(m *config.Maintenance) { m.Patience = patience })
				burst()
				a.Upkeep.Idle(t.Context())
				for began := time.Now(); time.Since(began) < patience; time.Sleep(4 * time.Second) {
					burst()
					if ran := ranJobs(t, store); len(ran) > 0 {
						t.Fatalf("after %s there ran %v", time.Since(began), ran)
					}
				}
				time.Sleep(time.Second)
				if ran := ranJobs(t, store); len(ran) != len(schedule.JobNames()) {
					t.Errorf("after its patience there ran %v", ran)
				}
			})
		})
	}
}

// steppedStore notes when a job reads its pages of one row, and has something happen at
// the second.
type steppedStore struct {
	*slotStore
	atSecond func()

	mu    sync.Mutex
	pages []time.Time
}

func (s *steppedStore) Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	s.mu.Lock()
	s.pages = append(s.pages, time.Now())
	isSecond := len(s.pages) == 2
	s.mu.Unlock()
	if isSecond {
		s.atSecond()
	}
	q.Limit = 1
	return s.slotStore.Changed(ctx, q)
}

// read is when pages were read.
func (s *steppedStore) read() []time.Time {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.pages)
}

// A job that runs when a burst begins pauses before its next step, keeps its lease
// meanwhile, and goes on from there.
func TestARunningJobPausesForABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := newSlotStore(t)
		for n := range 4 {
			slots.happen(t, n)
		}
		a, burst := flooded(t, slots)
		store := &steppedStore{slotStore: slots, atSecond: func() { burst() }}
		a.Store = store
		a.Rebuild()
		a.Upkeep.Config.Maintenance.Crons = map[string]string{"dedup": "@daily"}
		began := time.Now()
		a.Upkeep.Idle(t.Context())
		if pages := store.read(); len(pages) != 2 {
			t.Fatalf("%d pages were read before the pause, want 2", len(pages))
		}
		for range 40 { // longer than the lease lasts
			time.Sleep(4 * time.Second)
			burst()
		}
		if pages := store.read(); len(pages) != 2 {
			t.Errorf("%d pages were read beside a burst", len(pages)-2)
		}
		if _, err := slots.Lease(t.Context(), memory.Lease{Name: "job-dedup", Holder: "another daemon"}, time.Minute); !errors.Is(err, memory.ErrHeld) {
			t.Errorf("the lease of the paused job: %v, want ErrHeld", err)
		}
		time.Sleep(6 * time.Second)
		if want, got := map[string]string{"dedup": "waited 2m45s while bursts of events were ingested"}, ranJobs(t, slots); !cmp.Equal(want, got) {
			t.Errorf("ran %v, want %v", got, want)
		}
		pages := store.read()
		if len(pages) < 5 || slices.ContainsFunc(pages[2:], func(at time.Time) bool { return at.Sub(began) < 160*time.Second }) {
			t.Errorf("pages were read at %v", pages)
		}
	})
}

// A job that a person asks for runs at once, and so does the waiting job in its way.
func TestAskedForMaintenanceDoesNotWaitForABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlotStore(t)
		store.happen(t, 0)
		a, burst := flooded(t, store)
		burst()
		a.Upkeep.Idle(t.Context())
		synctest.Wait()
		began := time.Now()
		runs, err := a.Upkeep.Consolidate(t.Context(), daemonapi.ConsolidateParams{Trigger: "manual"})
		if err != nil || len(runs) != len(schedule.JobNames()) || time.Since(began) > time.Second {
			t.Errorf("%d runs after %s, %v", len(runs), time.Since(began), err)
		}
		synctest.Wait()
		a.Upkeep.Wait()
	})
}

// A daemon that ends does not wait for a burst.
func TestAnEndingDaemonWaitsForNoBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlotStore(t)
		a, burst := flooded(t, store)
		burst()
		ctx, cancel := context.WithCancel(t.Context())
		a.Upkeep.Idle(ctx)
		synctest.Wait()
		if burst := a.Upkeep.GivesWayTo(); len(burst.Waiting) != 1 {
			t.Errorf("while maintenance waits there is %s", burst)
		}
		began := time.Now()
		cancel()
		a.Upkeep.Wait()
		if took := time.Since(began); took > 0 {
			t.Errorf("it waited %s", took)
		}
		if ran := ranJobs(t, store); len(ran) > 0 {
			t.Errorf("ran %v", ran)
		}
	})
}

// A part of a large import is a burst, too.
func TestAnImportIsABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := flooded(t, newSlotStore(t))
		for n, want := range []bool{false, false, true} {
			var events []memory.Event
			for i := range n {
				events = append(events, daemontest.Prompt(i, fmt.Sprint("prompt ", i)))
			}
			if _, err := a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: events}); err != nil {
				t.Fatal(err)
			}
			if over, _ := a.Intake.Burst(); (over != nil) != want {
				t.Errorf("after an import of %d events there is a burst: %v", n, over != nil)
			}
		}
	})
}
