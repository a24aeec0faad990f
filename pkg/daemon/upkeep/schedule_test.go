package upkeep_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"
	"github.com/robfig/cron/v3"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/upkeep"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

// slotStore records for which slots jobs have run.
type slotStore struct {
	storetest.Store
	mu    sync.Mutex
	slots map[string]map[time.Time]time.Time // job, slot, when the run began
	twice []string
}

func newSlotStore(t testing.TB) *slotStore {
	return &slotStore{Store: surrealtest.Empty(t), slots: map[string]map[time.Time]time.Time{}}
}

func (s *slotStore) Apply(ctx context.Context, w memory.Write) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	isDone := false
	if w.Job != nil {
		state, err := memory.StateOf(ctx, s, w.Job.Job)
		if err != nil {
			return err
		}
		isDone = w.Job.Slot.After(state.Slot)
	}
	err := s.Store.Apply(ctx, w)
	if err == nil && isDone {
		if s.slots[w.Job.Job] == nil {
			s.slots[w.Job.Job] = map[time.Time]time.Time{}
		}
		if _, done := s.slots[w.Job.Job][w.Job.Slot]; done {
			s.twice = append(s.twice, fmt.Sprint(w.Job.Job, " for ", w.Job.Slot))
		}
		s.slots[w.Job.Job][w.Job.Slot] = time.Now()
	}
	return err
}

// ran are the slots that a job has run for after a time.
func (s *slotStore) ran(job string, after time.Time) []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	var slots []time.Time
	for slot := range s.slots[job] {
		if slot.After(after) {
			slots = append(slots, slot)
		}
	}
	return slots
}

// happen gives every job something to look at: a session that was never closed, with a memory that was not counted.
func (s *slotStore) happen(t *testing.T, n int) {
	t.Helper()
	at := time.Now().Add(-25 * time.Hour)
	e := memory.Event{
		ID: memory.NewEventID(at), At: at, Kind: memory.EventRemembered, Session: fmt.Sprint("s", n),
		Project: memory.Project{Key: "p", Name: "p", Root: "/p"}, RememberedKind: memory.KindDiscovery, Text: fmt.Sprint("target-", n, " needs redis"),
	}
	asked := e
	asked.ID, asked.Kind = memory.NewEventID(at.Add(1)), memory.EventPrompt
	asked.Prompt = "We never round in shop/price.go."
	batch := ingest.Batch([]memory.Event{e, asked})
	musttest.Do(t, s.Ingest(t.Context(), batch))
}

// daemonOn is one of several daemons of a store, on the bubble's clock.
func daemonOn(t *testing.T, store storetest.Store) *daemontest.Fixture {
	t.Helper()
	c := config.Default()
	c.Store.URL = "wss://db.example" // others write to it, too
	return daemontest.NewFixture(daemon.Options{Store: store, Counter: daemontest.WordCounter{}, Config: c, Log: slog.New(slog.DiscardHandler), Now: time.Now, Layout: paths.Layout{Home: t.TempDir()}})
}

// startUpkeep runs maintenance on its schedule until it is stopped; missed jobs are made up at once.
func startUpkeep(t *testing.T, a *daemontest.Fixture) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	a.Upkeep.Config.Maintenance.Quiet = 0
	wait := a.Upkeep.Start(ctx)
	return func() {
		cancel()
		wait()
		a.Upkeep.Wait()
	}
}

// slotsOf are the times that the jobs are due after one time and until another.
func slotsOf(t *testing.T, after, until time.Time) []time.Time {
	t.Helper()
	daily := musttest.Get(cron.ParseStandard(schedule.Daily))(t)
	var slots []time.Time
	for slot := daily.Next(after); !slot.After(until); slot = daily.Next(slot) {
		slots = append(slots, slot.UTC())
	}
	return slots
}

var byTime = cmp.Transformer("times", func(all []time.Time) map[string]bool {
	set := map[string]bool{}
	for _, one := range all {
		set[one.UTC().Format(time.RFC3339Nano)] = true
	}
	return set
})

// Two daemons on one store: in a day each job runs once for each of its times,
// whichever daemon comes first, and not before its time.
func TestTwoDaemonsRunEachScheduledJobOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlotStore(t)
		start := time.Now()
		for range 2 {
			defer startUpkeep(t, daemonOn(t, store))()
		}
		synctest.Wait()
		time.Sleep(time.Minute) // jobs that were due before the start are made up
		first, err := store.Runs(t.Context(), memory.RunQuery{Limit: 1000})
		if err != nil || len(first) > 0 {
			t.Errorf("in an empty store there were %d runs, %v", len(first), err)
		}
		for n := range 96 {
			store.happen(t, n)
			time.Sleep(15 * time.Minute)
		}
		synctest.Wait()
		if len(store.twice) > 0 {
			t.Errorf("ran twice: %v", store.twice)
		}
		runs := musttest.Get(store.Runs(t.Context(), memory.RunQuery{Limit: 10_000}))(t)
		recorded := map[string]int{}
		for _, run := range runs {
			recorded[run.Job]++
			if run.Trigger != "cron" || run.Error != "" || run.Examined == 0 {
				t.Errorf("run %+v", run)
			}
		}
		for _, job := range schedule.JobNames() {
			due := slotsOf(t, start, time.Now().Add(-2*time.Minute))
			if diff := cmp.Diff(due, store.ran(job, start), byTime); diff != "" {
				t.Errorf("%s (-due +ran):\n%s", job, diff)
			}
			if recorded[job] != len(due) {
				t.Errorf("%s was due %d times and has %d runs", job, len(due), recorded[job])
			}
			for slot, began := range store.slots[job] {
				if late := began.Sub(slot); slot.After(start) && (late < 0 || late > 2*time.Minute) {
					t.Errorf("%s for %s ran %s later", job, slot, late)
				}
			}
		}
	})
}

// Slots missed while no daemon ran are made up once, not once for each time.
func TestAMissedSlotIsMadeUpOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlotStore(t)
		store.happen(t, 0)
		startUpkeep(t, daemonOn(t, store))()
		time.Sleep(9*time.Hour + 45*time.Minute)
		stopped, made := time.Now(), map[string]int{}
		store.happen(t, 1)
		for range 3 { // started thrice in a row
			stop := startUpkeep(t, daemonOn(t, store))
			time.Sleep(time.Minute)
			stop()
		}
		for _, job := range schedule.JobNames() {
			made[job] = len(store.ran(job, stopped.Add(-9*time.Hour)))
		}
		want := map[string]int{"close": 1, "dedup": 1, "promote": 1, "prune": 1}
		musttest.Same(t, want, made, "made up (-want +got)")
	})
}

// The timers of a laptop stand still while it sleeps, its clock does not.
func TestSlotsMissedDuringSleepAreMadeUpSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlotStore(t)
		var slept atomic.Int64
		a := daemonOn(t, store)
		a.Now = func() time.Time { return time.Now().Add(time.Duration(slept.Load())) }
		defer startUpkeep(t, a)()
		time.Sleep(40 * time.Minute)
		before := a.Now()
		slept.Store(int64(8 * time.Hour))
		time.Sleep(11 * time.Minute)
		synctest.Wait()
		for _, job := range schedule.JobNames() {
			if ran := store.ran(job, before); len(ran) != 1 {
				t.Errorf("%s ran for %v", job, ran)
			}
		}
	})
}

// panickyStore panics when its test sets it.
type panickyStore struct {
	*slotStore
	panics atomic.Bool
}

func (s *panickyStore) Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	if s.panics.Load() {
		panic("out of order")
	}
	return s.slotStore.Changed(ctx, q)
}

// goneStore cannot be reached when jobs ask for their leases until its test ends that.
type goneStore struct {
	*slotStore
	isBack atomic.Bool
}

func (s *goneStore) Lease(ctx context.Context, l memory.Lease, d time.Duration) (memory.Lease, error) {
	if !s.isBack.Load() {
		return l, memory.ErrUnavailable
	}
	return s.slotStore.Lease(ctx, l, d)
}

// A moment without the store costs no job its slot, and prune has one slot a day.
func TestASlotWaitsForTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &goneStore{slotStore: newSlotStore(t)}
		defer startUpkeep(t, daemonOn(t, store))()
		time.Sleep(5 * time.Minute)
		store.isBack.Store(true)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if ran := store.ran(schedule.Prune, time.Time{}); len(ran) != 1 {
			t.Errorf("prune ran for %v, want its latest slot", ran)
		}
	})
}

func TestAPanicEndsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &panickyStore{slotStore: newSlotStore(t)}
		start := time.Now()
		var clockPanics atomic.Bool
		a := daemonOn(t, store)
		a.Now = func() time.Time {
			if clockPanics.Swap(false) {
				panic("no time")
			}
			return time.Now()
		}
		defer startUpkeep(t, a)()
		synctest.Wait()
		store.panics.Store(true) // in the job
		time.Sleep(4*time.Hour + 38*time.Minute)
		runs := musttest.Get(store.Runs(t.Context(), memory.RunQuery{Limit: 100}))(t)
		failed := map[string]bool{}
		for _, run := range runs {
			failed[run.Job] = run.Error != ""
		}
		musttest.Same(t, map[string]bool{"dedup": true, "promote": true}, failed, "failed runs (-want +got)")
		store.panics.Store(false)
		clockPanics.Store(true) // on the way to it
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		due := slotsOf(t, start, time.Now())
		for _, job := range []string{schedule.Dedup, schedule.Promote} {
			slot := due[len(due)-1]
			if late := store.slots[job][slot].Sub(slot); late < 0 || late > time.Minute {
				t.Errorf("after the panic %s for %s ran %s later", job, slot, late)
			}
		}
	})
}

func TestSwitchedOffNoJobRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlotStore(t)
		a := daemonOn(t, store)
		a.Upkeep.Config.Maintenance.Enabled = false
		defer startUpkeep(t, a)()
		store.happen(t, 0)
		time.Sleep(25 * time.Hour)
		a.Upkeep.Idle(t.Context())
		synctest.Wait()
		if runs, err := store.Runs(t.Context(), memory.RunQuery{Limit: 9}); err != nil || len(runs) > 0 {
			t.Errorf("runs %+v, %v", runs, err)
		}
	})
}

// stalling is a store at which a daemon makes no progress from the time it reads the changes, nor can it renew its lease.
type stalling struct {
	*slotStore
	reached chan struct{}
}

func (s *stalling) Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	select {
	case s.reached <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return memory.ChangePage{}, ctx.Err()
}

func (s *stalling) Lease(ctx context.Context, l memory.Lease, d time.Duration) (memory.Lease, error) {
	if l.Token == 0 {
		return s.slotStore.Lease(ctx, l, d)
	}
	return l, memory.ErrUnavailable
}

// The slot of a daemon that stalls is run by another one as soon as the lease has ended, and not only when the job is due again.
func TestAnotherDaemonTakesAStalledSlotOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlotStore(t)
		stuck := &stalling{slotStore: store, reached: make(chan struct{}, 1)}
		store.happen(t, 0)
		stop := startUpkeep(t, daemonOn(t, stuck))
		defer stop()
		<-stuck.reached // it holds the lease
		began := time.Now()
		defer startUpkeep(t, daemonOn(t, store))()
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		slots := store.ran(schedule.Dedup, time.Time{})
		if len(slots) != 1 || slots[0].After(began) {
			t.Errorf("ran for %v, want the time before %s", slots, began)
		}
	})
}

// Sessions that end and idle teammates, of which many come, have maintenance run, at most once in an interval.
func TestMaintenanceRunsAtMostOnceInAnInterval(t *testing.T) {
	for trigger, once := range map[string]func(*testing.T, *daemontest.Running, *daemonclient.Client, int){
		"idle": func(t *testing.T, _ *daemontest.Running, client *daemonclient.Client, _ int) {
			t.Helper()
			musttest.Do(t, client.Notify(t.Context(), daemonapi.MethodIdle.Call(daemonapi.None{}, nil)))
			musttest.Do(t, client.Call(t.Context(), daemonapi.MethodStatus.Call(daemonapi.None{}, nil))) // it was read
		},
		"session_end": func(t *testing.T, r *daemontest.Running, client *daemonclient.Client, n int) {
			t.Helper()
			e := daemontest.Event(n, memory.EventSessionEnded)
			e.Session = fmt.Sprint("s", n)
			daemontest.Put(t, r.Spool, daemontest.Prompt(n, "no end"), e)                                            // the prompt has nothing run
			musttest.Do(t, client.Notify(t.Context(), daemonapi.MethodSpooled.Call(daemonapi.SpooledParams{}, nil))) // or it looks after seconds
			musttest.Do(t, client.Call(t.Context(), daemonapi.MethodIngest.Call(daemonapi.None{}, nil)))
		},
	} {
		t.Run(trigger, func(t *testing.T) {
			gate, release := daemontest.Hold()
			r := daemontest.Serve(t, gate, func(r *daemontest.Running) {
				var minutes atomic.Int64
				r.Advance = func(d time.Duration) { minutes.Add(int64(d / time.Minute)) }
				r.Daemon.Now = func() time.Time { return daemontest.Noon.Add(time.Duration(minutes.Load()) * time.Minute) }
				r.Daemon.Config.Maintenance.Quiet = 0
			})
			client := musttest.Get(daemonclient.Dial(t.Context(), r.Socket))(t)
			defer func() { _ = client.Close() }()
			n := 0
			come := func(times int) {
				t.Helper()
				for range times {
					n++
					once(t, r, client, n)
				}
			}
			ran := func() map[string]int {
				byJob := map[string]int{}
				for _, run := range musttest.Get(r.Daemon.Store.Runs(t.Context(), memory.RunQuery{Limit: 1000}))(t) {
					if run.Trigger == trigger && run.Error == "" && !run.EndedAt.IsZero() {
						byJob[run.Job]++
					}
				}
				return byJob
			}
			each := func(n int) map[string]int { // prune reads all rows, so only its schedule runs it
				return map[string]int{schedule.Close: n, schedule.Dedup: n, schedule.Promote: n}
			}
			await := func(want map[string]int) {
				t.Helper()
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // only a failed test takes that long
				defer cancel()
				for !cmp.Equal(ran(), want) {
					if err := client.Call(ctx, daemonapi.MethodStatus.Call(daemonapi.None{}, nil)); err != nil {
						t.Fatalf("waited in vain for the runs %v, there are %v: %v", want, ran(), err)
					}
				}
			}
			if trigger == "idle" {
				come(2) // while the store starts: not now
			}
			release()
			musttest.Do(t, client.Call(t.Context(), daemonapi.MethodIngest.Call(daemonapi.None{}, nil)))
			come(3)
			await(each(1)) // a job that is still running is not run again
			r.Advance(r.Daemon.Config.Hooks.IdleInterval - time.Minute)
			come(2)
			r.Advance(time.Minute)
			come(1)
			await(each(2)) // an end would cancel a job that has just begun
			come(1)
			_ = client.Close()
			r.End() // waits for the started jobs
			musttest.Same(t, each(2), ran(), "runs (-want +got)")
		})
	}
}

// TestWhatIsDueOnceADayIsDueOnEachDay, also where clocks change: the zones change theirs at each hour at which one does.
func TestWhatIsDueOnceADayIsDueOnEachDay(t *testing.T) {
	daily := map[string]string{"maintenance": schedule.Daily, "backup": upkeep.BackupAt}
	for _, zone := range []string{
		"UTC", "America/Santiago", "America/Havana", "Africa/Cairo", "Asia/Beirut", "Atlantic/Azores", "America/Nuuk", "America/Scoresbysund", "Europe/London",
		"America/New_York", "Asia/Jerusalem", "Australia/Sydney", "Australia/Lord_Howe", "Antarctica/Troll", "Europe/Berlin", "Europe/Chisinau", "Europe/Helsinki",
		"Africa/Casablanca", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Norfolk", "Asia/Gaza",
	} {
		where := musttest.Get(time.LoadLocation(zone))(t)
		for job, expression := range daily {
			when := musttest.Get(cron.ParseStandard(expression))(t)
			due := map[string]int{}
			for at := when.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, where)); at.Year() < 2029; at = when.Next(at) {
				due[at.Format(time.DateOnly)]++
			}
			for noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC); noon.Year() < 2029; noon = noon.Add(24 * time.Hour) {
				if day := noon.Format(time.DateOnly); due[day] != 1 {
					t.Errorf("%s is due %d times on %s in %s", job, due[day], day, zone)
				}
			}
		}
	}
}

// askedStore counts the queries that begin a run, look for a missed one, or for the need of a backup.
type askedStore struct {
	*slotStore
	questions atomic.Int64
}

func (s *askedStore) Read(ctx context.Context, k memory.Keys) (memory.Rows, error) {
	s.questions.Add(int64(len(k.Jobs)))
	return s.slotStore.Read(ctx, k)
}

func (s *askedStore) Lease(ctx context.Context, l memory.Lease, d time.Duration) (memory.Lease, error) {
	if l.Token == 0 {
		s.questions.Add(1)
	}
	return s.slotStore.Lease(ctx, l, d)
}

func (s *askedStore) CopyOut(ctx context.Context, sink memory.CopySink) error {
	s.questions.Add(1)
	return s.slotStore.CopyOut(ctx, sink)
}

// A daemon that is the only one of its store leaves the store alone while nothing new comes, so that the engine can sleep; it works
// once a day.
func TestTheStoreIsAskedOnceADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &askedStore{slotStore: newSlotStore(t)}
		store.happen(t, 0)
		a := daemontest.NewFixture(daemon.Options{
			Store: store, Counter: daemontest.WordCounter{}, Config: config.Default(), Log: slog.New(slog.DiscardHandler), Now: time.Now, Backups: t.TempDir(), Layout: paths.Layout{Home: t.TempDir()},
		})
		defer startUpkeep(t, a)()
		synctest.Wait()
		time.Sleep(15 * time.Minute) // missed jobs are made up, and a backup is made
		synctest.Wait()
		before := store.questions.Load()
		for range 48 { // until 4:15
			time.Sleep(5 * time.Minute)
			synctest.Wait()
			if asked := store.questions.Load(); asked > before {
				t.Fatalf("the store was asked %d times, last at %s: an engine would not have slept", asked-before, time.Now().Format(time.TimeOnly))
			}
		}
		began := time.Now()
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		for _, job := range schedule.JobNames() {
			musttest.Same(t, 1, len(store.ran(job, began)), "in a day %s ran (-want +got)", job)
		}
	})
}

// Who asks for a job waits for the one that is running, and not for ever.
func TestRequestedMaintenanceWaitsForTheRunningJob(t *testing.T) {
	for name, c := range map[string]struct {
		held time.Duration
		is   error
	}{
		"a moment":       {3 * time.Second, nil},
		"several leases": {5 * time.Minute, nil},
		"too long":       {time.Hour, memory.ErrHeld},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, store, _ := daemontest.New(t)
				a.Now = time.Now
				musttest.Get(store.Lease(t.Context(), memory.Lease{Name: "job-dedup", Holder: "another daemon"}, c.held))(t)
				runs, err := a.Upkeep.Consolidate(t.Context(), daemonapi.ConsolidateParams{Trigger: "manual", Job: "dedup"})
				if !errors.Is(err, c.is) || err == nil && len(runs) != 1 {
					t.Errorf("%d runs, %v; want the error %v", len(runs), err, c.is)
				}
			})
		})
	}
}

// unanswered is a store that is too busy for some questions.
type unanswered struct {
	storetest.Store
	left atomic.Int64
}

func (s *unanswered) Read(ctx context.Context, k memory.Keys) (memory.Rows, error) {
	if len(k.Jobs) > 0 && s.left.Add(-1) >= 0 {
		return memory.Rows{}, memory.ErrUnavailable
	}
	return s.Store.Read(ctx, k)
}

// Of many who ask at once, while jobs run in the background, each is answered, and no job runs beside itself.
func TestAllWhoAskForMaintenanceAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &unanswered{Store: slow{surrealtest.Empty(t), 30 * time.Second}}
		a := daemonOn(t, store)
		defer startUpkeep(t, a)()
		store.left.Store(2)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				runs, err := a.Upkeep.Consolidate(t.Context(), daemonapi.ConsolidateParams{Trigger: "manual"})
				if err != nil || len(runs) != len(schedule.JobNames()) {
					t.Errorf("%d runs, %v", len(runs), err)
				}
			})
		}
		all.Wait()
	})
}

// slow is a store on which a job takes its time.
type slow struct {
	storetest.Store
	time.Duration
}

func (s slow) Apply(ctx context.Context, w memory.Write) error {
	time.Sleep(s.Duration)
	return s.Store.Apply(ctx, w)
}
