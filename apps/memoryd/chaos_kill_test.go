//go:build linux

package main

import (
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

var killFaults = []fault{
	{"hook killed at any instant (kill -9)", perThousand(850), killHooks},
	{"daemon killed while it ingests (kill -9)", perThousand(100), killDaemons},
	{"engine killed while it ingests (kill -9)", perThousand(50), killEngines},
	{"several daemons started at once", times(4, 4), startMany},
}

// killHooks kills hooks at instants from before their first instruction to after
// their last, as long as they take here and now.
func killHooks(t *testing.T, c *chaos, runs int) {
	a := c.start(t)
	for i := range runs {
		if i%10 == 0 { // as busy as the machine is now
			c.lifetime = c.took(t)
		}
		c.prompt(t, time.Duration(c.dice.Int64N(int64(c.lifetime*3/2))))
	}
	a.stop(t)
}

// took is how long a hook takes that nobody kills.
func (c *chaos) took(t *testing.T) time.Duration {
	t.Helper()
	begun := time.Now()
	c.prompt(t, never)
	return time.Since(begun)
}

func killDaemons(t *testing.T, c *chaos, runs int) {
	for range runs {
		c.prompts(t, 10)
		a := c.start(t)
		c.awaitIngest(t)
		pause(time.Duration(c.dice.Int64N(int64(10 * time.Millisecond))))
		enginePID := c.enginePID(t)
		kill(t, a.cmd.Process.Pid)
		_ = a.cmd.Wait() // the error is that it was killed
		c.awaitClosely(t, "the engine to end with its daemon", func() bool { return isGoneProcess(enginePID) })
	}
}

func killEngines(t *testing.T, c *chaos, runs int) {
	a := c.start(t)
	for range runs {
		c.await(t, "the store", func() bool {
			status, err := c.status(t)
			return err == nil && status.Store != nil
		})
		c.prompts(t, 10)
		pid := c.enginePID(t)
		kill(t, pid)
		c.await(t, "another engine", func() bool {
			status, err := c.status(t)
			return err == nil && status.Engine.PID != pid && status.Engine.PID != 0
		})
	}
	if !c.hasNoNotice() {
		t.Error("a store that had lost nothing was rebuilt")
	}
	a.stop(t)
}

// awaitIngest waits until the daemon has begun to empty the spool.
func (c *chaos) awaitIngest(t *testing.T) {
	t.Helper()
	before := c.waiting(t)
	c.awaitClosely(t, "ingest to begin", func() bool { return c.waiting(t) < before || before == 0 })
}

// pause waits for a random instant, which is part of the test.
func pause(d time.Duration) { <-time.After(d) }

func startMany(t *testing.T, c *chaos, runs int) {
	c.prompts(t, 20)
	var daemons []*runningDaemon
	for range runs {
		daemons = append(daemons, c.start(t))
	}
	c.await(t, "one of the daemons", func() bool { _, err := c.status(t); return err == nil })
	status := musttest.Get(c.status(t))(t)
	for _, a := range daemons {
		if a.cmd.Process.Pid == status.PID {
			defer a.stop(t)
			continue
		}
		if err := a.cmd.Wait(); err != nil {
			t.Errorf("a daemon too many: %v", err)
		}
	}
	c.prompts(t, 20)
}
