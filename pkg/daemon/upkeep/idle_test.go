package upkeep_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// Idle teammates come often; maintenance runs at most once in an interval.
func TestIdleRunsMaintenanceAtMostOnceInAnInterval(t *testing.T) {
	gate, release := daemontest.Hold()
	r := daemontest.Serve(t, gate, func(r *daemontest.Running) {
		var minutes atomic.Int64
		r.Advance = func(d time.Duration) { minutes.Add(int64(d / time.Minute)) }
		r.Daemon.Now = func() time.Time { return daemontest.Noon.Add(time.Duration(minutes.Load()) * time.Minute) }
	})
	wanted := len(schedule.JobNames()) - 1 // without prune
	interval := r.Daemon.Config.Hooks.IdleInterval
	client := musttest.Get(daemonclient.Dial(t.Context(), r.Socket))(t)
	defer func() { _ = client.Close() }()
	idle := func(times int) {
		t.Helper()
		for range times {
			musttest.Do(t, client.Notify(t.Context(), daemonapi.MethodIdle.Call(daemonapi.None{}, nil)))
		}
		musttest.Do(t, client.Call(t.Context(), daemonapi.MethodStatus.Call(daemonapi.None{}, nil))) // they were read
	}
	idle(2) // while the store starts: not now
	release()
	musttest.Do(t, client.Call(t.Context(), daemonapi.MethodIngest.Call(daemonapi.None{}, nil)))
	idle(5)
	awaitRuns(t, r, wanted) // a job that is still running is not run again
	r.Advance(interval - time.Minute)
	idle(5)
	r.Advance(time.Minute)
	idle(5)
	_ = client.Close()
	awaitRuns(t, r, 2*wanted) // an end would cancel a job that has just begun
	r.End()
	runs := musttest.Get(r.Daemon.Store.Runs(t.Context(), memory.RunQuery{Limit: 100}))(t)
	byJob := map[string]int{}
	for _, run := range runs {
		if run.Trigger != "idle" || run.Error != "" {
			t.Errorf("run %+v", run)
		}
		byJob[run.Job]++
	}
	if len(byJob) != wanted || byJob[schedule.Prune] > 0 {
		t.Errorf("jobs that ran: %v, want %v but prune", byJob, schedule.JobNames())
	}
	for job, n := range byJob {
		if n != 2 {
			t.Errorf("%s ran %d times in two intervals", job, n)
		}
	}
}

// awaitRuns waits until so many runs have ended.
func awaitRuns(t *testing.T, r *daemontest.Running, want int) {
	t.Helper()
	for tick := time.NewTicker(time.Millisecond); ; <-tick.C {
		runs := musttest.Get(r.Daemon.Store.Runs(t.Context(), memory.RunQuery{Limit: 100}))(t)
		ended := 0
		for _, run := range runs {
			if !run.EndedAt.IsZero() {
				ended++
			}
		}
		if ended >= want {
			return
		}
	}
}
