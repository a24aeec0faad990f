package agent_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/storetest"
)

// countedStore counts the calls of the methods that ingest and hooks may use. Each is
// one round trip (TestAMethodIsOneQuery of package surreal).
type countedStore struct {
	storetest.Store
	calls map[string]int
}

func (s *countedStore) Ingest(ctx context.Context, b memory.Batch) error {
	s.calls["Ingest"]++
	return s.Store.Ingest(ctx, b)
}

func (s *countedStore) Rows(ctx context.Context, ids []string) ([]memory.Row, error) {
	s.calls["Rows"]++
	return s.Store.Rows(ctx, ids)
}

func (s *countedStore) Session(ctx context.Context, id string) (memory.Session, error) {
	s.calls["Session"]++
	return s.Store.Session(ctx, id)
}

func (s *countedStore) SessionsByID(ctx context.Context, ids []string) ([]memory.Session, error) {
	s.calls["SessionsByID"]++
	return s.Store.SessionsByID(ctx, ids)
}

func (s *countedStore) SessionRecord(ctx context.Context, id string) (memory.SessionRecord, error) {
	s.calls["SessionRecord"]++
	return s.Store.SessionRecord(ctx, id)
}

func (s *countedStore) SessionRecords(ctx context.Context, ids []string) ([]memory.SessionRecord, error) {
	s.calls["SessionRecords"]++
	return s.Store.SessionRecords(ctx, ids)
}

func (s *countedStore) Summarise(ctx context.Context, session string, summary memory.Summary) error {
	s.calls["Summarise"]++
	return s.Store.Summarise(ctx, session, summary)
}

func (s *countedStore) Memory(ctx context.Context, id string) (memory.Memory, error) {
	s.calls["Memory"]++
	return s.Store.Memory(ctx, id)
}

func (s *countedStore) Memories(ctx context.Context, f memory.Filter) ([]memory.Memory, error) {
	s.calls["Memories"]++
	return s.Store.Memories(ctx, f)
}

func (s *countedStore) Recallable(ctx context.Context, project string, size int, visit func([]memory.Row) error) error {
	s.calls["Recallable"]++
	return s.Store.Recallable(ctx, project, size, visit)
}

func (s *countedStore) Injected(ctx context.Context, session string, after time.Time) ([]string, error) {
	s.calls["Injected"]++
	return s.Store.Injected(ctx, session, after)
}

func (s *countedStore) StartContext(ctx context.Context, q memory.StartQuery) (memory.StartContext, error) {
	s.calls["StartContext"]++
	return s.Store.StartContext(ctx, q)
}

// TestRoundTripsOfAnOperation holds what hooks wait for, and what each batch of events
// costs the store, to a number of queries.
func TestRoundTripsOfAnOperation(t *testing.T) {
	a, faulty, s := newAgent(t)
	store := &countedStore{Store: faulty.Store, calls: map[string]int{}}
	a.Store = store
	a.rebuild()
	ingest := func() {
		if _, err := a.Intake.Ingest(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	foresee := func() {
		if err := a.Intake.Foresee(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	tool := func(n int, kind memory.EventKind, command string) memory.Event {
		e := event(n, kind)
		e.Tool, e.Command, e.Error = "Bash", command, "Exit code 1\nboom: the port is in use"
		return e
	}
	started := event(1, memory.EventSessionStarted)
	started.Source = "startup"
	ended := event(51, memory.EventTurnEnded)
	ended.Text = "The port is a setting now."
	n := 0
	other := func(session string) (all []memory.Event) {
		for i, kind := range []memory.EventKind{memory.EventSessionStarted, memory.EventPrompt, memory.EventFileChanged, memory.EventTurnEnded, memory.EventSessionEnded} {
			n++
			e := event(100+n, kind)
			e.Session, e.Prompt, e.File, e.Tool, e.Text, e.Source = session, "make the port a setting", fmt.Sprint(session, ".go"), "Edit", fmt.Sprint("Done ", i), "startup"
			all = append(all, e)
		}
		return all
	}
	for _, step := range []struct {
		what string
		do   func()
		want map[string]int
	}{
		{"the first start", func() { startOf(t, a, "s1"); a.Briefing.Warm(t.Context(), "p") }, map[string]int{"StartContext": 1, "Recallable": 1}},
		{"a new session", func() { put(t, s, started); ingest() }, map[string]int{"Ingest": 1, "SessionsByID": 1}},
		{"another start", func() { startOf(t, a, "s1") }, map[string]int{}},
		{"a prompt", func() { put(t, s, prompt(2, "fix the port")); ingest() }, map[string]int{"Ingest": 1, "SessionsByID": 1}},
		{"a prompt that states something", func() { put(t, s, prompt(3, "remember: the port is 8123")); ingest() }, map[string]int{"Ingest": 1, "SessionsByID": 1, "Rows": 2, "StartContext": 1}},
		{"a tool", func() { put(t, s, tool(4, memory.EventCommandSucceeded, "go test ./...")); ingest() }, map[string]int{"Ingest": 1}},
		{"a burst of tools", func() {
			for i := range 20 {
				put(t, s, tool(5+i, memory.EventCommandSucceeded, fmt.Sprint("go test ./", i)))
			}
			ingest()
		}, map[string]int{"Ingest": 1}},
		{"a failing command", func() { put(t, s, tool(30, memory.EventCommandFailed, "npm ci")); ingest() }, map[string]int{"Ingest": 1, "Rows": 1}},
		{"the fix of a failing command", func() { put(t, s, tool(31, memory.EventCommandSucceeded, "npm ci --legacy-peer-deps")); ingest() }, map[string]int{"Ingest": 2, "SessionRecords": 1, "Rows": 1}},
		{"recall", func() { recallOnce(t, a) }, map[string]int{}},
		{"a turn that ends", func() { put(t, s, ended); ingest(); foresee() }, map[string]int{"Ingest": 1, "SessionRecords": 1}},
		{"a start straight after the end of that session", func() { put(t, s, event(52, memory.EventSessionEnded)); startAfter(t, a, "s2") }, map[string]int{}},
		{"a burst of whole sessions", func() {
			for i := range 10 {
				put(t, s, other(fmt.Sprint("t", i))...)
			}
			ingest()
		}, map[string]int{"Ingest": 2, "SessionRecords": 1, "StartContext": 1, "Rows": 1}},
		{"a burst of three batches of whole sessions", func() {
			for i := range 50 {
				put(t, s, other(fmt.Sprint("u", i))...)
			}
			ingest()
		}, map[string]int{"Ingest": 6, "SessionRecords": 3, "StartContext": 1, "Rows": 3}},
		{"a start after the burst", func() { startAfter(t, a, "s3") }, map[string]int{}},
	} {
		clear(store.calls)
		step.do()
		if diff := cmp.Diff(step.want, store.calls); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.what, diff)
		}
	}
}

func recallOnce(t *testing.T, a *fixture) {
	t.Helper()
	if _, err := a.Briefing.Recall(t.Context(), agentapi.RecallParams{Purpose: agentapi.ForPrompt, Project: "p", Session: "s1", Text: "which port is it", TokenBudget: 300}); err != nil {
		t.Fatal(err)
	}
}
