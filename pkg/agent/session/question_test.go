package session_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/agenttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func asks(t *testing.T, a *agenttest.Fixture, session string, want bool, when string) {
	t.Helper()
	got, err := a.Sessions.ShouldAsk(t.Context(), session)
	if err != nil || got != want {
		t.Errorf("%s: %v, %v; want %v", when, got, err, want)
	}
}

// work is n edits of a session.
func work(session string, from, n int) []memory.Event {
	var events []memory.Event
	for i := range n {
		e := agenttest.Edit(from+i, session, fmt.Sprintf("file%d.go", from+i))
		events = append(events, e)
	}
	return events
}

func TestTheModelIsAskedOnceASessionAfterRealWork(t *testing.T) {
	a, _, _ := agenttest.New(t)
	enough := config.AskAfter
	asks(t, a, "s1", false, "an unknown session")
	looked := agenttest.Event(1, memory.EventToolUsed)
	looked.Tool, looked.Text = "Read", "a.go"
	agenttest.Ingested(t, a, append(work("s1", 10, enough-1), looked, agenttest.Prompt(2, "remember: nothing"))...)
	asks(t, a, "s1", false, "before real work")
	asks(t, a, "s1", false, "before real work, again")
	agenttest.Ingested(t, a, work("s1", 30, 1)...)
	asks(t, a, "s1", true, "after real work")
	asks(t, a, "s1", false, "again")
	agenttest.Ingested(t, a, work("s1", 50, 2*enough)...)
	asks(t, a, "s1", false, "after more work")
	asks(t, agenttest.Restarted(a), "s1", false, "by the next agent")
	agenttest.Ingested(t, a, work("s2", 90, enough)...)
	asks(t, agenttest.Restarted(a), "s2", true, "another session, by the next agent")
	asks(t, a, "s2", false, "another session, by this one")
}

// A question that could not be recorded was not asked.
func TestAQuestionThatCouldNotBeRecordedIsAskedLater(t *testing.T) {
	a, store, _ := agenttest.New(t)
	agenttest.Ingested(t, a, work("s1", 1, config.AskAfter)...)
	store.Fail = func(memory.Batch) error { return memory.ErrUnavailable }
	if ask, err := a.Sessions.ShouldAsk(t.Context(), "s1"); ask || !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("%v, %v; want ErrUnavailable", ask, err)
	}
	store.Fail = nil
	asks(t, a, "s1", true, "when the store is back")
	asks(t, a, "s1", false, "again")
}
