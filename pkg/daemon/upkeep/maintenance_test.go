package upkeep_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

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
