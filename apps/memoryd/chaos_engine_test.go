//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths/plugintest"
)

var engineFaults = []fault{
	{"a newer surreal comes onto the PATH, and goes", inFull(6), changePath},
	{"the engine of the data is gone, a newer surreal takes over", inFull(1), takeOver},
	{"the engine of the data is gone, a surreal 4 takes over (rehearsed)", inFull(1), takeOver4},
	{"surreal without rocksdb on the PATH", inFull(3), lackStorage},
}

// with gives the agents that PATH.
func (c *chaos) with(path string) { c.home.env = append(c.home.env, path) }

// runsOn lets an agent store the waiting events, and requires that kind of engine. Then the agent ends.
func (c *chaos) runsOn(t *testing.T, kind engine.Kind) {
	t.Helper()
	c.start(t)
	c.isStored(t)
	if status := c.awaitReady(t); status.Engine.Kind != string(kind) {
		t.Errorf("the engine is %s, want one that is %s", status.Engine.Name, kind)
	}
	c.endAgent(t)
}

// changePath opens a home of the embedded engine with a newer surreal on the PATH, and then without it. The engine that
// made the data has it all the time.
func changePath(t *testing.T, c *chaos, runs int) {
	program := surrealForTest(t)
	for n := range runs + 1 {
		c.with(withoutSurreal())
		if n%2 == 1 {
			c.with("PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH"))
		}
		c.prompts(t, 10)
		c.runsOn(t, engine.Embedded)
	}
}

func takeOver(t *testing.T, c *chaos, _ int) {
	program := filepath.Join(t.TempDir(), "surreal")
	if err := os.Symlink(surrealForTest(t), program); err != nil {
		t.Fatal(err)
	}
	c.takenOver(t, program)
}

func takeOver4(t *testing.T, c *chaos, _ int) { c.takenOver(t, fakeSurreal4(t)) }

// takenOver has a home of the embedded engine go on with a program only.
func (c *chaos) takenOver(t *testing.T, program string) {
	t.Helper()
	c.with(withoutSurreal())
	c.prompts(t, 10)
	c.runsOn(t, engine.Embedded)
	c.with("PATH=" + filepath.Dir(program))
	c.prompts(t, 10)
	c.runsOn(t, engine.Binary)
	c.prompts(t, 10)
}

// lackStorage puts a surreal onto the PATH that has no storage for the data, where Node.js cannot be downloaded.
func lackStorage(t *testing.T, c *chaos, runs int) {
	dir := t.TempDir()
	script := "#!/bin/sh\n[ \"$1\" = version ] && { echo 3.3.5; exit; }\necho 'Provide a valid database path parameter' >&2\nexit 1\n"
	if err := plugintest.WriteProgram(filepath.Join(dir, "surreal"), []byte(script)); err != nil {
		t.Fatal(err)
	}
	for range runs {
		c.with("PATH=" + dir) // and nothing else
		c.prompts(t, 10)
		c.start(t)
		c.await(t, "the agent to say what is wrong with it", func() bool {
			status, err := c.status(t)
			return err == nil && status.State == "waiting" && strings.Contains(status.Reason, "Node.js")
		})
		c.endAgent(t)
		c.with("PATH=" + dir + ":" + strings.TrimPrefix(withoutSurreal(), "PATH="))
		c.prompts(t, 10)
		c.runsOn(t, engine.Embedded)
	}
}
