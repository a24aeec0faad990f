//go:build linux

package main

import (
	"os"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

var homeFaults = []fault{
	{"home deleted under the daemon (events since then)", inFull(5), deleteHome},
	{"home replaced under the daemon while it ingests", inFull(5), replaceHome},
}

// deleteHome deletes a home with its contents: only later events count.
func deleteHome(t *testing.T, c *chaos, runs int) {
	c.plug(t)
	for range runs {
		c.prompts(t, 10)
		c.isStored(t)
		first := c.awaitReady(t)
		c.poll(t, 20*time.Millisecond, "the home to be gone", func() bool { return os.RemoveAll(c.layout.Home) == nil }) // the engine writes to it
		c.in, c.most = 0, 0
		c.prompts(t, 10)
		c.await(t, "daemon and engine to end", func() bool { return isGoneProcess(first.PID) && isGoneProcess(first.Engine.PID) })
		c.prompts(t, 10)
		c.isStored(t)
	}
}

// replaceHome moves a home away, under a daemon that has events to ingest, and later back: the events of both count.
func replaceHome(t *testing.T, c *chaos, runs int) {
	c.plug(t)
	aside := c.layout.Home + ".aside"
	for range runs {
		var first daemonapi.StatusResult
		c.poll(t, 200*time.Millisecond, "a daemon to be ready", func() (isReady bool) {
			c.prompts(t, 5) // a home that came back may contain the mark of a recent start, that of the ended daemon
			status, err := c.status(t)
			first = status
			return err == nil && status.State == "ready"
		})
		c.prompts(t, 20)
		musttest.Do(t, os.Rename(c.layout.Home, aside))
		c.prompts(t, 10)
		c.await(t, "the daemon whose home is gone to end", func() bool { return isGoneProcess(first.PID) && isGoneProcess(first.Engine.PID) })
		c.prompts(t, 10)
		rows := c.count(t, 20)
		if rows.Memories != 20 {
			t.Errorf("the new home has %d memories, want 20", rows.Memories)
		}
		c.out += rows.Memories
		musttest.Do(t, os.RemoveAll(c.layout.Home))
		musttest.Do(t, os.Rename(aside, c.layout.Home))
	}
}
