package consolidate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

// crashPage makes many steps of little data.
const crashPage = 2

var crashTime = noon.AddDate(0, 0, 45)

func crashRunner(store storetest.Store) *consolidate.Runner {
	limits := policy.UsualLimits()
	return &consolidate.Runner{Store: store, Counter: wordCounter{}, Now: func() time.Time { return crashTime }, CloseAfter: 24 * time.Hour, Limits: limits, Page: crashPage}
}

const crashProjects = 4

// prepare gives every job something to do in each of many projects.
func prepare(t *testing.T, store storetest.Store) {
	t.Helper()
	var events []memory.Event
	var uses []memory.Use
	var days []memory.ActiveDay
	for n := range crashProjects {
		key := fmt.Sprintf("p%02d", n)
		happens := func(session int, e memory.Event) {
			e.At = noon.Add(time.Duration(len(events)) * time.Minute)
			e.ID, e.Session = fmt.Sprintf("%016x", e.At.UnixNano()), fmt.Sprint(key, "-", session)
			e.Project = memory.Project{Key: key, Name: key, Root: "/" + key}
			events = append(events, e)
		}
		for session := range 3 {
			happens(session, memory.Event{Kind: memory.EventRemembered, RememberedKind: memory.KindDiscovery, Text: "make " + key + " needs redis"})
		}
		happens(0, memory.Event{Kind: memory.EventRemembered, RememberedKind: memory.KindNote, Text: "The gateway of " + key + " retries on a connection error."})
		happens(1, memory.Event{Kind: memory.EventRemembered, RememberedKind: memory.KindNote, Text: "the gateway of " + key + " always retries on a connection error."})
		for _, need := range []string{"a pilot", "a crane", "a lamp"} { // the same in two projects, which use it
			shared := fmt.Sprintf("harbour %d needs %s", n/2, need)
			happens(2, memory.Event{Kind: memory.EventRemembered, RememberedKind: memory.KindConvention, Text: shared})
			for use := range policy.UserUses {
				id := memory.NewID(memory.ScopeProject, key, shared)
				uses = append(uses, memory.Use{Memory: id, Session: fmt.Sprint(key, "-used-", use), At: noon.AddDate(0, 0, 1)})
			}
		}
		for day := range 40 {
			days = append(days, memory.ActiveDay{Project: key, Day: noon.AddDate(0, 0, day+1).Format(time.DateOnly)})
		}
	}
	batch := ingest.Batch(events)
	batch.Uses, batch.Days = uses, days
	musttest.Do(t, store.Ingest(t.Context(), batch))
}

// dump is the part of a store that jobs change.
type dump struct {
	Rows     map[string]memory.State
	Sessions map[string]memory.Session
}

var sameStates = cmp.Comparer(func(a, b memory.State) bool { return len(a.Changed(b)) == 0 })

func dumpOf(t *testing.T, store storetest.Store) dump {
	t.Helper()
	d := dump{Rows: states(rowsOf(t, store)), Sessions: map[string]memory.Session{}}
	for after := ""; ; {
		page := musttest.Get(store.Export(t.Context(), memory.ExportQuery{Section: memory.SectionSession, After: after}))(t)
		for _, s := range page.Sessions {
			s.PromptCount = 0
			d.Sessions[s.ID] = s
		}
		if after = page.Next; after == "" {
			return d
		}
	}
}

// disorder describes a row that is neither as before a job nor as after it, or a difference
// between the recorded and the actual changes.
func disorder(t *testing.T, store storetest.Store, before, after dump) string {
	t.Helper()
	now := dumpOf(t, store)
	var done []string
	for id := range maps.Keys(after.Rows) {
		was, wasThere := before.Rows[id]
		is, isThere := now.Rows[id]
		switch {
		case isThere == wasThere && len(is.Changed(was)) == 0:
		case isThere && len(is.Changed(after.Rows[id])) == 0:
			done = append(done, id)
		default:
			return fmt.Sprintf("memory %s was\n%+v\nand is\n%+v", id, was, is)
		}
	}
	for id, was := range before.Sessions {
		is, end := now.Sessions[id], after.Sessions[id]
		summed := was
		summed.Summary = end.Summary
		if !slices.Contains([]string{sessionText(was), sessionText(summed), sessionText(end)}, sessionText(is)) {
			return fmt.Sprintf("session %s was\n%+v\nand is\n%+v", id, was, is)
		}
	}
	recorded := recordedChanges(t, store)
	slices.Sort(done)
	if !slices.Equal(done, recorded) {
		return fmt.Sprintf("changed were %d memories, recorded are %d", len(done), len(recorded))
	}
	return ""
}

func sessionText(s memory.Session) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// recordedChanges are the memories that the records of runs list as changed, sorted.
func recordedChanges(t *testing.T, store storetest.Store) []string {
	t.Helper()
	runs := musttest.Get(store.Runs(t.Context(), memory.RunQuery{Limit: 1000}))(t)
	var ids []string
	for _, run := range runs {
		whole := musttest.Get(memory.RunOf(t.Context(), store, run.ID))(t)
		for _, a := range whole.Actions {
			ids = append(ids, a.Memory)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// TestAnUndoThatWasKilledIsFinished by the next undo of the same run.
func TestAnUndoThatWasKilledIsFinished(t *testing.T) {
	t.Parallel()
	store := surrealtest.Empty(t)
	prepare(t, store)
	before := dumpOf(t, store)
	run, err := crashRunner(store).Run(t.Context(), consolidate.Request{Job: schedule.Dedup, Trigger: "manual"})
	if err != nil || len(run.Actions) <= 2*crashPage {
		t.Fatalf("run %+v, %v", run, err)
	}
	dying := &dyingStore{Store: store, writes: 2}
	if _, err := crashRunner(dying).Undo(t.Context(), run.ID, "manual"); !errors.Is(err, errDied) {
		t.Fatalf("error %v, want that of the death", err)
	}
	if diff := cmp.Diff(before, dumpOf(t, store), sameStates); diff == "" {
		t.Fatal("the undo was done before it was interrupted: nothing is tested")
	}
	_, err = crashRunner(store).Undo(t.Context(), run.ID, "manual")
	musttest.Is(t, memory.ErrHeld, err, "while the undo may be running")
	dying.letGo(t)
	musttest.Get(crashRunner(store).Undo(t.Context(), run.ID, "manual"))(t)
	if diff := cmp.Diff(before, dumpOf(t, store), sameStates); diff != "" {
		t.Errorf("after the recovery (-before the run +after):\n%s", diff)
	}
	if open, err := store.Runs(t.Context(), memory.RunQuery{Open: true}); err != nil || len(open) > 0 {
		t.Errorf("runs that are still open: %+v, %v", open, err)
	}
}

var errDied = errors.New("the process died")

// dyingStore dies at a write, before or after the store has made it: nothing reaches it any more.
type dyingStore struct {
	storetest.Store
	writes int  // that are made
	isLate bool // the last of them is made, too, but nobody hears of it
	isDead bool
	lease  memory.Lease
}

func (s *dyingStore) write(write func() error) error {
	if s.isDead {
		return errDied
	}
	if s.writes--; s.writes >= 0 {
		return write()
	}
	s.isDead = true
	if s.isLate {
		return errors.Join(write(), errDied)
	}
	return errDied
}

func (s *dyingStore) Commit(ctx context.Context, c memory.Commit) (skipped []string, err error) {
	if len(c.Run.Actions) == 0 && !s.isDead {
		return s.Store.Commit(ctx, c)
	}
	err = s.write(func() error {
		skipped, err = s.Store.Commit(ctx, c)
		return err
	})
	return skipped, err
}

func (s *dyingStore) Ingest(ctx context.Context, b memory.Batch) error {
	return s.write(func() error { return s.Store.Ingest(ctx, b) })
}

func (s *dyingStore) Lease(ctx context.Context, l memory.Lease, d time.Duration) (_ memory.Lease, err error) {
	if d == 0 {
		return l, errDied
	}
	s.lease, err = s.Store.Lease(ctx, l, d)
	return s.lease, err
}

// letGo expires the lease of the dead, as time would.
func (s *dyingStore) letGo(t *testing.T) {
	t.Helper()
	musttest.Get(s.Store.Lease(t.Context(), s.lease, 0))(t)
}

// TestARunThatDiesIsFinishedByTheNext has many runs of a job die, just before or just after their second write. Each
// time the applied changes are the recorded ones, and every row is as before the job or as the job leaves it. After the
// job has run to its end, everything is as if it had never died.
func TestARunThatDiesIsFinishedByTheNext(t *testing.T) {
	t.Parallel()
	const deaths = 2
	for _, job := range schedule.JobNames() {
		t.Run(job, func(t *testing.T) {
			t.Parallel()
			store, reference := surrealtest.Empty(t), surrealtest.Empty(t)
			for _, one := range []storetest.Store{store, reference} {
				prepare(t, one)
			}
			run := func(store storetest.Store) (memory.Run, error) {
				r := crashRunner(store)
				r.Limits.ProjectBudget = 10
				if job == schedule.Prune { // for lack of room only
					r.Now = func() time.Time { return noon.AddDate(0, 0, 2) }
				}
				return r.Run(t.Context(), consolidate.Request{Job: job, Trigger: "cron"})
			}
			before := dumpOf(t, store)
			if done, err := run(reference); err != nil || done.Changed < crashProjects {
				t.Fatalf("the reference: %+v, %v", done, err)
			}
			after := dumpOf(t, reference)
			for death := range deaths {
				dying := &dyingStore{Store: store, writes: 1, isLate: death%2 > 0}
				if _, err := run(dying); !errors.Is(err, errDied) {
					t.Fatal(err)
				}
				dying.letGo(t)
				if problem := disorder(t, store, before, after); problem != "" {
					t.Fatalf("after death %d: %s", death+1, problem)
				}
			}
			if cmp.Equal(after, dumpOf(t, store), sameStates) {
				t.Fatal("nothing was left to do: it did not die in the middle")
			}
			musttest.Get(run(store))(t)
			if diff := cmp.Diff(after, dumpOf(t, store), sameStates); diff != "" {
				t.Errorf("in the end (-never died +died):\n%s", diff)
			}
			runs := musttest.Get(store.Runs(t.Context(), memory.RunQuery{Limit: 100}))(t)
			interrupted := 0
			for _, run := range runs {
				if run.EndedAt.IsZero() {
					t.Errorf("run %s is still open", run.ID)
				}
				interrupted += strings.Count(run.Error, "interrupted")
			}
			if interrupted != deaths && job != schedule.Close { // whose writes are no steps of a run
				t.Errorf("%d runs are noted as interrupted, want %d", interrupted, deaths)
			}
		})
	}
}

// stalledStore is the store of a process that stands still from one of its writes
// on: neither that nor the prolonging of its lease gets through before it goes on.
type stalledStore struct {
	storetest.Store
	after   int // writes
	reached chan struct{}
	goOn    chan struct{}
}

func (s *stalledStore) wait() {
	if s.after--; s.after == -1 {
		close(s.reached)
	}
	if s.after < 0 {
		<-s.goOn
	}
}

func (s *stalledStore) Commit(ctx context.Context, c memory.Commit) ([]string, error) {
	if len(c.Run.Actions) > 0 {
		s.wait()
	}
	return s.Store.Commit(context.WithoutCancel(ctx), c) // as if it had been sent before anybody looked at the lease
}

func (s *stalledStore) Lease(ctx context.Context, l memory.Lease, d time.Duration) (memory.Lease, error) {
	select {
	case <-s.reached:
		<-s.goOn
	default:
	}
	return s.Store.Lease(ctx, l, d)
}

// TestAStalledHolderIsReplacedAndItsLateWritesAreRefused has a run stall and another take over.
func TestAStalledHolderIsReplacedAndItsLateWritesAreRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := surrealtest.Empty(t)
		prepare(t, store)
		stalled := &stalledStore{Store: store, after: 2, reached: make(chan struct{}), goOn: make(chan struct{})}
		slow, quick := crashRunner(stalled), crashRunner(store)
		slow.Lease, quick.Lease = time.Minute, time.Minute
		slow.Page = 3 // or pages would be written before the first stall
		slot := crashTime.Add(-time.Hour)
		type result struct {
			run memory.Run
			err error
		}
		ended := make(chan result, 1)
		go func() {
			run, err := slow.Run(t.Context(), consolidate.Request{Job: schedule.Dedup, Trigger: "cron", Slot: slot})
			ended <- result{run, err}
		}()
		select {
		case <-stalled.reached:
		case early := <-ended:
			t.Fatalf("the run ended before it stalled: %+v, %v", early.run, early.err)
		}
		quickRun := func() (memory.Run, error) {
			return quick.Run(t.Context(), consolidate.Request{Job: schedule.Dedup, Trigger: "cron", Slot: slot})
		}
		if _, err := quickRun(); !errors.Is(err, memory.ErrHeld) {
			t.Fatalf("while the lease lasts: error %v, want ErrHeld", err)
		}
		time.Sleep(2 * time.Minute) // of the bubble's clock
		second, err := quickRun()
		if err != nil || second.Changed == 0 {
			t.Fatalf("after the lease the second run is %+v, %v", second, err)
		}
		done := dumpOf(t, store)
		close(stalled.goOn)
		late := <-ended
		if !errors.Is(late.err, memory.ErrLeaseLost) {
			t.Errorf("the late write: error %v, want ErrLeaseLost", late.err)
		}
		if diff := cmp.Diff(done, dumpOf(t, store), sameStates); diff != "" {
			t.Errorf("the late write changed the store (-before +after):\n%s", diff)
		}
		if again, err := quickRun(); !errors.Is(err, consolidate.ErrDone) {
			t.Errorf("the slot once more: %+v, %v, want ErrDone", again, err)
		}
		first, err := memory.RunOf(t.Context(), store, late.run.ID)
		if err != nil || first.Error == "" || first.EndedAt.IsZero() || len(first.Actions)+len(second.Actions) != 2*crashProjects {
			t.Errorf("the first run is recorded as %+v (%v), with %d and %d actions", first, err, len(first.Actions), len(second.Actions))
		}
	})
}

// A job that takes longer than its lease keeps it, as long as it is alive.
func TestALongJobKeepsItsLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := surrealtest.Empty(t)
		prepare(t, store)
		r := crashRunner(slowStore{store})
		r.Lease = 3 * time.Second
		run, err := r.Run(t.Context(), consolidate.Request{Job: schedule.Dedup, Trigger: "cron"})
		if err != nil || run.Changed != 2*crashProjects {
			t.Errorf("run %+v, %v", run, err)
		}
	})
}

// slowStore takes its time.
type slowStore struct{ storetest.Store }

func (s slowStore) Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	time.Sleep(2 * time.Second) // of the bubble's clock
	return s.Store.Changed(ctx, q)
}

// The closing of sessions names no lease in its writes, and asks before each whether it still has it.
func TestAStalledCloseStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := surrealtest.Empty(t)
		prepare(t, store)
		sleeping := &sleepingStore{Store: store}
		run, err := crashRunner(sleeping).Run(t.Context(), consolidate.Request{Job: schedule.Close, Trigger: "cron"})
		if !errors.Is(err, memory.ErrLeaseLost) || run.Changed != 0 {
			t.Errorf("run %+v, %v; want ErrLeaseLost before any change", run, err)
		}
		for _, session := range dumpOf(t, store).Sessions {
			if session.State.IsOver() {
				t.Fatalf("session %s was closed without the lease", session.ID)
			}
		}
	})
}

// sleepingStore is that of a machine that sleeps while a session is looked at.
type sleepingStore struct {
	storetest.Store
	awake atomic.Bool
}

func (s *sleepingStore) Lease(ctx context.Context, l memory.Lease, d time.Duration) (memory.Lease, error) {
	if l.Token != 0 && !s.awake.Load() { // the timers stand still, too
		return l, nil
	}
	return s.Store.Lease(ctx, l, d)
}

func (s *sleepingStore) Records(ctx context.Context, q memory.RecordQuery) ([]memory.SessionRecord, error) {
	if !s.awake.Load() {
		time.Sleep(2 * time.Minute) // of the bubble's clock
	}
	s.awake.Store(true)
	return s.Store.Records(ctx, q)
}
