//go:build linux

package main

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

var clockFaults = []fault{
	{"daemon that hangs after a heartbeat a year ahead, or a year ago", inFull(4), beatWrongly},
	{"events dated in 2099 and in 1970", inFull(5), dateWrongly},
}

func beatWrongly(t *testing.T, c *chaos, runs int) {
	c.plug(t)
	for n := range runs {
		c.prompts(t, 5)
		hung := c.awaitReady(t).PID
		freeze(t, hung)
		wrong := time.Now().AddDate(1-2*(n%2), 0, 0)
		musttest.Do(t, os.Chtimes(c.layout.Heartbeat(), wrong, wrong))
		c.hooksUntil(t, "the daemon whose heartbeat is of another time to be replaced", func() bool { return isGoneProcess(hung) })
		c.awaitReady(t, hung)
	}
}

func dateWrongly(t *testing.T, c *chaos, runs int) {
	c.start(t)
	for range runs {
		c.prompts(t, 5)
		for _, year := range []int{2099, 1970} {
			c.most++
			at := time.Date(year, 6, 1, 0, 0, 0, c.most, time.UTC)
			musttest.Do(t, spool.New(c.layout.Spool()).Put(memory.Event{
				ID: memory.NewEventID(at), At: at, Kind: memory.EventPrompt, Session: "s",
				Project: memory.Project{Key: "p", Name: "p", Root: "/p"}, Prompt: fmt.Sprintf("remember: the number of this fact is %d", c.most),
			}))
			c.in++
		}
		c.prompts(t, 5)
		c.isStored(t)
		var found []daemonapi.Listed
		c.call(t, daemonapi.MethodMemories.Call(memory.Filter{Project: "p", Limit: 100}, &found))
		latest := time.Now().Add(5 * time.Minute) // so far ahead may the clock of a hook be
		for _, m := range found {
			if m.LastSeenAt.After(latest) || m.CreatedAt.After(latest) {
				t.Errorf("%s is dated %s and %s", m.Content, m.CreatedAt, m.LastSeenAt)
			}
		}
		if len(found) == 0 {
			t.Error("no memory is there")
		}
	}
}
