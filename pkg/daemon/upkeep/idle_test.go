package upkeep_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
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
	client, err := daemonclient.Dial(t.Context(), r.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	idle := func(times int) {
		t.Helper()
		for range times {
			if err := client.Notify(t.Context(), daemonapi.MethodIdle.Call(daemonapi.None{}, nil)); err != nil {
				t.Fatal(err)
			}
		}
		if err := client.Call(t.Context(), daemonapi.MethodStatus.Call(daemonapi.None{}, nil)); err != nil { // they were read
			t.Fatal(err)
		}
	}
	idle(2) // while the store starts: not now
	release()
	if err := client.Call(t.Context(), daemonapi.MethodIngest.Call(daemonapi.None{}, nil)); err != nil {
		t.Fatal(err)
	}
	idle(5)
	awaitRuns(t, r, wanted) // a job that is still running is not run again
	r.Advance(interval - time.Minute)
	idle(5)
	r.Advance(time.Minute)
	idle(5)
	_ = client.Close()
	awaitRuns(t, r, 2*wanted) // an end would cancel a job that has just begun
	r.End()
	runs, err := r.Daemon.Store.Runs(t.Context(), memory.RunQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
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
		runs, err := r.Daemon.Store.Runs(t.Context(), memory.RunQuery{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
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
