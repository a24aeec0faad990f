package consolidate_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

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
		slow.Page = 10 // or pages would be written before the first stall
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

// The closing of sessions names no lease in its writes, and asks before each
// whether it still has it.
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
