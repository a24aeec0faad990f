package daemon_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// TestRoundTripsOfAnOperation bounds the queries of the requests that hooks wait for, and of each batch of events.
func TestRoundTripsOfAnOperation(t *testing.T) {
	a, faulty, s := daemontest.New(t)
	store := &daemontest.CountedStore{Store: faulty.Store, Calls: map[string]int{}}
	a.Store = store
	a.Rebuild()
	ingest := func() { musttest.Get(a.Intake.Ingest(t.Context()))(t) }
	tool := func(n int, kind memory.EventKind, command string) memory.Event {
		e := daemontest.Event(n, kind)
		e.Tool, e.Command, e.Error = "Bash", command, "Exit code 1\nboom: the port is in use"
		return e
	}
	started := daemontest.Event(1, memory.EventSessionStarted)
	started.Source = "startup"
	ended := daemontest.Event(51, memory.EventTurnEnded)
	ended.Text = "The port is a setting now."
	n := 0
	other := func(session string) (all []memory.Event) {
		for i, kind := range []memory.EventKind{memory.EventSessionStarted, memory.EventPrompt, memory.EventFileChanged, memory.EventTurnEnded, memory.EventSessionEnded} {
			n++
			e := daemontest.Event(100+n, kind)
			e.Session, e.Prompt, e.File, e.Tool, e.Text, e.Source = session, "make the port a setting", fmt.Sprint(session, ".go"), "Edit", fmt.Sprint("Done ", i), "startup"
			all = append(all, e)
		}
		return all
	}
	for _, step := range []struct {
		name string
		do   func()
		want map[string]int
	}{
		{"the first start", func() { daemontest.StartOf(t, a, "s1") }, map[string]int{"Sessions Summarised": 1, "Rows Page": 2}},
		{"a new session", func() { daemontest.Put(t, s, started); ingest() }, map[string]int{"Apply": 1, "Read": 1}},
		{"another start", func() { daemontest.StartOf(t, a, "s1") }, map[string]int{}},
		{"a prompt", func() { daemontest.Put(t, s, daemontest.Prompt(2, "fix the port")); ingest() }, map[string]int{"Apply": 1, "Read": 1}},
		{"a prompt that states something", func() { daemontest.Put(t, s, daemontest.Prompt(3, "remember: the port is 8123")); ingest() }, map[string]int{"Apply": 1, "Read": 1, "Rows WithIDs": 1, "Sessions Summarised": 1}},
		{"a tool", func() { daemontest.Put(t, s, tool(4, memory.EventCommandSucceeded, "go test ./...")); ingest() }, map[string]int{"Apply": 1, "Read": 1}},
		{"a burst of tools", func() {
			for i := range 20 {
				daemontest.Put(t, s, tool(5+i, memory.EventCommandSucceeded, fmt.Sprint("go test ./", i)))
			}
			ingest()
		}, map[string]int{"Apply": 1, "Read": 1}},
		{"a failing command", func() { daemontest.Put(t, s, tool(30, memory.EventCommandFailed, "npm ci")); ingest() }, map[string]int{"Apply": 1, "Read": 1}},
		{"the fix of a failing command", func() {
			daemontest.Put(t, s, tool(31, memory.EventCommandSucceeded, "npm ci --legacy-peer-deps"))
			ingest()
		}, map[string]int{"Apply": 1, "Read": 2, "Records RecordsOf": 1, "Rows WithIDs": 1, "Sessions Summarised": 1}},
		{"recall", func() { recallOnce(t, a) }, map[string]int{}},
		{"a turn that ends", func() { daemontest.Put(t, s, ended); ingest() }, map[string]int{"Apply": 1, "Read": 1}},
		{"a start straight after the end of that session", func() {
			daemontest.Put(t, s, daemontest.Event(52, memory.EventSessionEnded))
			daemontest.StartAfter(t, a, "s2")
		}, map[string]int{"Records RecordsOf": 1}},
		{"that end", ingest, map[string]int{"Apply": 1, "Read": 2, "Records RecordsOf": 1, "Rows Page": 2, "Rows WithIDs": 1, "Sessions Summarised": 1}},
		{"a burst of whole sessions", func() {
			for i := range 10 {
				daemontest.Put(t, s, other(fmt.Sprint("t", i))...)
			}
			ingest()
		}, map[string]int{"Apply": 1, "Read": 1, "Records RecordsOf": 1, "Rows Page": 2, "Sessions Summarised": 1}},
		{"a burst of three batches of whole sessions", func() {
			for i := range 50 {
				daemontest.Put(t, s, other(fmt.Sprint("u", i))...)
			}
			ingest()
		}, map[string]int{"Apply": 3, "Read": 3, "Records RecordsOf": 3, "Rows Page": 6, "Sessions Summarised": 3}},
		{"a start after the burst", func() { daemontest.StartAfter(t, a, "s3") }, map[string]int{}},
	} {
		clear(store.Calls)
		step.do()
		musttest.Same(t, step.want, store.Calls, "%s (-want +got)", step.name)
	}
}

func recallOnce(t *testing.T, a *daemontest.Fixture) {
	t.Helper()
	musttest.Get(a.Briefing.Recall(t.Context(), daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Project: "p", Session: "s1", Text: "which port is it", TokenBudget: 300}))(t)
}

// mostFrames is how many of our functions stand on the stack when the store applies a spooled event, from the connection
// whose caller waits for it.
const mostFrames = 21

func TestTheWayOfAnEventToTheStoreIsShort(t *testing.T) {
	var walk []string
	r := daemontest.Serve(t, daemontest.Ready, func(r *daemontest.Running) {
		r.Daemon.Store.(*daemontest.FaultyStore).Fail = func(b memory.Batch) error {
			if walk == nil && len(b.Prompts) > 0 {
				walk = ourFrames()
			}
			return nil
		}
	})
	daemontest.Put(t, r.Spool, daemontest.Prompt(1, "remember that the port is 6543"))
	musttest.Get(daemonapi.MethodIngest.Ask(t.Context(), r.Send, daemonapi.None{}))(t)
	r.End() // before the walk is read
	if len(walk) < 10 || len(walk) > mostFrames {
		t.Errorf("%d functions, %d at most:\n%s", len(walk), mostFrames, strings.Join(walk, "\n"))
	}
}

// ourFrames are the functions of this module on the stack, without those of tests.
func ourFrames() (names []string) {
	const module = "github.com/surrealdb-memory/surrealdb-memory/pkg/"
	counters := make([]uintptr, 100)
	for frames := runtime.CallersFrames(counters[:runtime.Callers(2, counters)]); ; {
		frame, more := frames.Next()
		name, isOurs := strings.CutPrefix(frame.Function, module)
		if isOurs && !strings.Contains(name, "daemontest.") && !strings.HasPrefix(name, "daemon_test.") {
			names = append(names, name)
		}
		if !more {
			return names
		}
	}
}
