//go:build unix

package engine_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// use is a connection whose use a test controls; it can refuse to rest.
type use struct {
	unused atomic.Int64
	busy   atomic.Bool
	rests  atomic.Int64
}

func (u *use) IdleTime() time.Duration { return time.Duration(u.unused.Load()) }

func (u *use) DisconnectIfIdle(time.Duration) bool {
	u.rests.Add(1)
	return !u.busy.Load()
}

func TestAnEngineWithoutWorkSleepsUntilItIsNeeded(t *testing.T) {
	t.Parallel()
	options, asked := localOptions(t), &use{}
	options.Sleep, options.Use = time.Minute, asked
	supervisor := start(t, options)
	query(t, connect(t, endpointOf(t, supervisor)), "DEFINE NAMESPACE IF NOT EXISTS test; USE NS test; DEFINE DATABASE IF NOT EXISTS test; USE DB test; CREATE thing:1 SET x = 42")
	first := supervisor.State().PID

	asked.busy.Store(true) // a request at the last moment
	asked.unused.Store(int64(time.Hour))
	eventually(t, "the engine to be about to sleep", func() bool { return asked.rests.Load() > 1 })
	if supervisor.State().PID != first || endpointOf(t, supervisor).URL == "" {
		t.Fatal("an engine that was asked has gone to sleep")
	}
	asked.busy.Store(false)
	eventually(t, "the engine to sleep", func() bool { return supervisor.State().Asleep && supervisor.State().PID == 0 })

	asked.unused.Store(0)
	db := connect(t, endpointOf(t, supervisor))
	musttest.Same(t, "[42]", fmt.Sprint(query(t, db, "SELECT VALUE x FROM thing:1")), "after it slept it has")
	if supervisor.State().Asleep || supervisor.State().PID == first || supervisor.State().Restarts != 0 || supervisor.State().Err != nil {
		t.Errorf("awake: pid %d (was %d), %d restarts, %v", supervisor.State().PID, first, supervisor.State().Restarts, supervisor.State().Err)
	}

	asked.unused.Store(int64(time.Hour))
	eventually(t, "the engine to sleep once more", func() bool { return supervisor.State().Asleep && supervisor.State().PID == 0 })
	began := time.Now()
	stop(t, supervisor)
	if took := time.Since(began); took > time.Second {
		t.Errorf("stopping a sleeping engine lasted %s", took)
	}
}
