//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	surrealdb "github.com/surrealdb/surrealdb.go"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

var hangFaults = []fault{
	{"daemon that hangs (SIGSTOP)", inFull(5), hangDaemons},
	{"engine that hangs (SIGSTOP)", inFull(5), hangEngines},
	{"engine whose threads block each other, and that says that it is healthy", inFull(1), deadlockEngines},
}

// hangLimit is the time within which a hanging process is replaced, while hooks run.
const hangLimit = 30 * time.Second

// freeze stops a process, which then neither ends nor answers: on a busy machine its threads run on for a while.
func freeze(t *testing.T, pid int) {
	t.Helper()
	musttest.Do(t, syscall.Kill(pid, syscall.SIGSTOP))
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(time.Minute); ; <-ticker.C {
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		running := slices.ContainsFunc(tasks, func(task string) bool {
			text, err := os.ReadFile(task)
			_, about, _ := strings.Cut(string(text), ") ")
			return err == nil && !strings.HasPrefix(about, "T")
		})
		if err != nil || !running {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d does not stop", pid)
		}
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

func hangDaemons(t *testing.T, c *chaos, runs int) {
	cli := filepath.Join(c.plug(t), "bin", "memory")
	for range runs {
		c.prompts(t, 5)
		hung := c.awaitReady(t)
		freeze(t, hung.PID)
		c.within(t, answerTime, "", cli, "status")
		c.hooksUntil(t, "the daemon that hangs to be replaced", func() bool { return isGoneProcess(hung.PID) })
		c.awaitReady(t, hung.PID)
	}
	last := c.awaitReady(t)
	freeze(t, last.PID)
	c.within(t, answerTime, "", cli, "daemon", "stop")
	c.await(t, "daemon and engine to end", func() bool { return isGoneProcess(last.PID) && isGoneProcess(last.Engine.PID) })
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
	c.within(t, answerTime, "", cli, "daemon", "stop")
	c.await(t, "daemon and engine to end", func() bool { return isGoneProcess(last.PID) && isGoneProcess(last.Engine.PID) })
}

// deadlockEngines has the engine's own threads block each other.
func deadlockEngines(t *testing.T, c *chaos, runs int) {
	cli := filepath.Join(c.plug(t), "bin", "memory")
	for range runs {
		c.prompts(t, 5)
		blocked := c.awaitReady(t).Engine.PID
		c.deadlock(t)
		c.hooksUntil(t, "status and sessions to say that the engine does not answer", func() bool {
			const told = "has not answered since"
			return strings.Contains(c.within(t, answerTime, "", cli, "status"), told) || isGoneProcess(blocked)
		})
		c.hooksUntil(t, "the engine whose threads block each other to be replaced", func() bool { return isGoneProcess(blocked) })
		c.isStored(t)
	}
}

// deadlock writes transactions at the same time that are each larger than the engine's buffers, which is known to make
// SurrealDB 3.0.2 stand still, until nothing is answered.
func (c *chaos) deadlock(t *testing.T) {
	t.Helper()
	endpoint := c.engineEndpoint(t)
	fill := c.connectEngine(t, endpoint)
	for part := range 4 {
		sql := fmt.Sprintf("FOR $i IN %d..%d { UPSERT type::record('filler', $i) SET text = string::repeat('word ', 40), n = $i }", part*20000, (part+1)*20000)
		if _, err := surrealdb.Query[any](t.Context(), fill, sql, nil); err != nil {
			t.Logf("the engine stands still, perhaps: %v", err) // the query below decides
			break
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for range 3 {
		db := c.connectEngine(t, endpoint)
		go func() {
			for ctx.Err() == nil { // it fails: of transactions that change the same rows one is refused
				_, _ = surrealdb.Query[any](ctx, db, "UPDATE filler SET n += 1 RETURN NONE", nil)
			}
		}()
	}
	for ctx.Err() == nil {
		asked, stop := context.WithTimeout(ctx, 3*time.Second)
		_, err := surrealdb.Query[any](asked, fill, "SELECT VALUE n FROM filler LIMIT 1", nil)
		stop()
		if err != nil {
			break
		}
	}
	response, err := http.Get("http" + strings.TrimPrefix(endpoint.URL, "ws") + "/health")
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("the engine says of its health: %v, %v", response, err)
	}
	_ = response.Body.Close()
}

// connectEngine signs in to the engine of the home, to a database of its own.
func (c *chaos) connectEngine(t *testing.T, endpoint engine.Endpoint) *surrealdb.DB {
	t.Helper()
	db, err := surrealdb.FromEndpointURLString(t.Context(), endpoint.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.Background()) }) // the engine is gone
	if _, err = db.SignIn(t.Context(), surrealdb.Auth{Username: endpoint.User, Password: endpoint.Pass}); err == nil {
		_, err = surrealdb.Query[any](t.Context(), db, "DEFINE NAMESPACE IF NOT EXISTS filler; USE NS filler; DEFINE DATABASE IF NOT EXISTS filler;", nil)
	}
	if err == nil {
		err = db.Use(t.Context(), "filler", "filler")
	}
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// engineEndpoint is where the engine of the home is, by its own record.
func (c *chaos) engineEndpoint(t *testing.T) engine.Endpoint {
	t.Helper()
	return musttest.Get(enginetest.ReadEndpoint(filepath.Join(c.layout.Run(), "engine.json")))(t)
}
