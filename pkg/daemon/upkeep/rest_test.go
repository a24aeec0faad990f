package upkeep_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

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
