//go:build linux

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

var hangFaults = []fault{
	{"agent that hangs (SIGSTOP)", times(1, 5), hangAgents},
	{"engine that hangs (SIGSTOP)", times(1, 5), hangEngines},
}

// hangLimit is within what time something that hangs is replaced, while hooks come.
const hangLimit = 30 * time.Second

// freeze stops a process, which then neither ends nor answers.
func freeze(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
}

// hooksUntil runs a hook each half second until something is so, which must be within hangLimit.
func (c *chaos) hooksUntil(t *testing.T, what string, so func() bool) {
	t.Helper()
	begun := time.Now()
	c.poll(t, 500*time.Millisecond, what, func() bool {
		c.prompt(t, never)
		return so()
	})
	if c.longest = max(c.longest, time.Since(begun)); c.longest > hangLimit {
		t.Errorf("%s took %v, want at most %v", what, c.longest, hangLimit)
	}
}

func hangAgents(t *testing.T, c *chaos, runs int) {
	cli := filepath.Join(c.plug(t), "bin", "memory")
	for range runs {
		c.prompts(t, 5)
		hung := c.awaitReady(t)
		freeze(t, hung.PID)
		c.within(t, answerTime, "", cli, "status")
		if isShort() { // as if it had hung for a while
			long := time.Now().Add(-20 * time.Second)
			if err := os.Chtimes(c.layout.Beat(), long, long); err != nil {
				t.Fatal(err)
			}
		}
		c.hooksUntil(t, "the agent that hangs to be replaced", func() bool { return isGoneProcess(hung.PID) })
		c.awaitReady(t, hung.PID)
	}
	last := c.awaitReady(t)
	freeze(t, last.PID)
	c.within(t, answerTime, "", cli, "agent", "stop")
	c.await(t, "agent and engine to end", func() bool { return isGoneProcess(last.PID) && isGoneProcess(last.Engine.PID) })
}

func hangEngines(t *testing.T, c *chaos, runs int) {
	cli := filepath.Join(c.plug(t), "bin", "memory")
	for range runs {
		c.prompts(t, 5)
		hung := c.awaitReady(t).Engine.PID
		freeze(t, hung)
		c.within(t, answerTime, "", cli, "status")
		c.hooksUntil(t, "the engine that hangs to be replaced", func() bool { return isGoneProcess(hung) })
		c.isStored(t)
	}
	last := c.awaitReady(t)
	freeze(t, last.Engine.PID)
	c.within(t, answerTime, "", cli, "agent", "stop")
	c.await(t, "agent and engine to end", func() bool { return isGoneProcess(last.PID) && isGoneProcess(last.Engine.PID) })
}
