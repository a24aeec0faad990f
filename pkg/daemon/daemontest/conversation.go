package daemontest

import (
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Restarted returns a daemon, as if of a new process, on the same store and spool.
func Restarted(a *Fixture) *Fixture {
	return NewFixture(a.Options)
}

// Command returns an event of a command, with its failure, if any.
func Command(n int, session string, kind memory.EventKind, text, failure string) memory.Event {
	e := Event(n, kind)
	e.Session, e.Tool, e.Command, e.Error = session, "Bash", text, failure
	return e
}

// Edit returns an event of an edit that replaces port 8080 by 6543.
func Edit(n int, session, file string) memory.Event {
	e := Event(n, memory.EventFileChanged)
	e.Session, e.Tool, e.File, e.Before, e.After = session, "Edit", file, "8080", "6543"
	return e
}

// Ingested spools events and ingests them. It fails the test if one becomes a dead letter.
func Ingested(t *testing.T, a *Fixture, events ...memory.Event) {
	t.Helper()
	Put(t, a.Spools[0], events...)
	if done, err := a.Intake.Ingest(t.Context()); err != nil || done.Dead > 0 {
		t.Fatalf("ingested %+v, %v", done, err)
	}
}

// Recalled returns the text of Recall in project p, within 1,000 tokens unless a budget is given.
func Recalled(t *testing.T, a *Fixture, p daemonapi.RecallParams) string {
	t.Helper()
	p.Project = "p"
	if p.TokenBudget == 0 {
		p.TokenBudget = 1000
	}
	result, err := a.Briefing.Recall(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return result.Text
}

// Boom is the output of the failing command of Story.
const Boom = "Exit code 2\nserver_test.go:31: dial tcp 127.0.0.1:8080: connection refused error"

// Story returns the events of a command that fails, an edit, and the command's success, in session s1.
func Story() []memory.Event {
	const session = "s1"
	return []memory.Event{
		Command(1, session, memory.EventCommandFailed, "cd /p && go test ./server", Boom),
		Edit(2, session, "server.yaml"),
		Command(3, session, memory.EventCommandSucceeded, "go test ./server", ""),
	}
}

// StartOf returns the text of a session's start in project p.
func StartOf(t *testing.T, a *Fixture, session string) string {
	t.Helper()
	return startBefore(t, a, session, "0")
}

// MustWait reports whether a start has to wait for spooled events.
func MustWait(t *testing.T, a *Fixture, project, id string) bool {
	t.Helper()
	_, wait := a.Intake.Pending(t.Context(), project, id)
	return wait
}

// StartAfter returns the text of a start after all events that the test has spooled.
func StartAfter(t *testing.T, a *Fixture, session string) string {
	t.Helper()
	return startBefore(t, a, session, memory.NewEventID(Noon.Add(time.Hour)))
}

func startBefore(t *testing.T, a *Fixture, session, event string) string {
	t.Helper()
	result, err := a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{
		Project: "p", Session: session, Source: "startup", TokenBudget: 1000, Before: event,
	})
	if err != nil {
		t.Fatal(err)
	}
	return result.Text
}

// ToldOnceAndUndone checks that the user is told of a run once, and that its undo makes the memory with an id active again.
func ToldOnceAndUndone(t *testing.T, a *Fixture, run, id string) {
	t.Helper()
	if again, _ := a.Told.Next(t.Context(), "p"); again != "" {
		t.Errorf("the user is told again: %q", again)
	}
	if _, err := a.Upkeep.Undo(t.Context(), daemonapi.UndoParams{Run: run, Trigger: "manual"}); err != nil {
		t.Fatal(err)
	}
	if got := RowOf(t, a, id).SupersededBy; got != "" {
		t.Errorf("after the undo it is superseded by %q", got)
	}
}
