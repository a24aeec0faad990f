//go:build linux

package main

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

var poisonFaults = []fault{
	{"events about what is never read to its end (/proc/kmsg in the project /, a pipe)", inFull(5), nameEndlessFiles},
	{"events about a file system that hangs (FUSE that nobody serves)", times(1, 3), hangFileSystem},
	{"event at which three daemons end (kill -9)", inFull(3), poisonDaemons},
}

// about puts an event into the spool that asks for something to be kept, and that names a file.
func (c *chaos) about(t *testing.T, root, file string) {
	t.Helper()
	c.most++
	now := time.Now()
	musttest.Do(t, spool.New(c.layout.Spool()).Put(memory.Event{
		ID: memory.NewEventID(now), At: now, Kind: memory.EventPrompt, Session: "s", Dir: root, File: file,
		Project: memory.Project{Key: "p", Name: "p", Root: root}, Prompt: fmt.Sprintf("remember: the number of this fact is %d", c.most),
	}))
}

func nameEndlessFiles(t *testing.T, c *chaos, runs int) {
	root := t.TempDir()
	musttest.Do(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600))
	c.start(t)
	for range runs {
		c.prompts(t, 5)
		c.about(t, "/", "/proc/kmsg")
		c.about(t, "/proc", "kmsg")
		c.about(t, root, "pipe")
		c.in += 3
		c.prompts(t, 5)
		c.isStored(t)
	}
}

// hungFolder is where a file system is mounted that answers nothing.
func hungFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "net")
	daemontest.Hang(t, dir)
	return dir
}

func hangFileSystem(t *testing.T, c *chaos, runs int) {
	c.start(t)
	for range runs {
		hung := hungFolder(t)
		c.prompts(t, 5)
		for range 5 {
			c.about(t, hung, "main.go")
			c.about(t, filepath.Dir(hung), "net/main.go")
			c.in += 2
		}
		c.prompts(t, 5)
		c.isStored(t)
	}
}

// poisonDaemons has each daemon end while it has the same event. The wait for a file system that hangs makes time for it.
func poisonDaemons(t *testing.T, c *chaos, runs int) {
	for range runs {
		hung := hungFolder(t)
		c.about(t, hung, "main.go")
		c.most--
		for _, taken := range []string{"*.json", "*.t1.json", "*.t2.json"} {
			a := c.start(t)
			c.awaitClosely(t, "the event to be taken", func() bool {
				files, err := filepath.Glob(filepath.Join(c.layout.Spool(), "claimed", taken))
				return err == nil && len(files) == 1
			})
			kill(t, a.cmd.Process.Pid)
			_ = a.cmd.Wait() // the error is that it was killed
		}
		c.dead++
		c.prompts(t, 10)
		c.start(t)
		c.await(t, "the event to be put aside", func() bool {
			counts, err := spool.New(c.layout.Spool()).Counts()
			return err == nil && counts.Dead == c.dead
		})
		c.count(t, c.in)
	}
}
