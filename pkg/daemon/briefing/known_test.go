package briefing_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Each line for a prompt has the id under which the model can request more, and there are at
// most MaxLines of them.
func TestAPromptGetsAFewLines(t *testing.T) {
	a, _, _ := daemontest.New(t)
	daemontest.Ingested(t, a, daemontest.Prompt(1, "remember: server.go listens on port 6543\nremember: the port of server.go is opened last\nremember: server.go takes its port from a flag"))
	ask := daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Session: "s2", Text: "on which port does server.go listen?", MaxLines: 2}
	text := daemontest.Recalled(t, a, ask)
	if got := strings.Count(text, "\n- ["); got != 2 {
		t.Errorf("got %d lines, want 2:\n%s", got, text)
	}
	found, err := a.Answers.Find(t.Context(), daemonapi.FindParams{Project: "p", Text: "which port does server.go listen on", Limit: 1})
	if err != nil || len(found) == 0 {
		t.Fatalf("found %v, %v", found, err)
	}
	if want := "- [" + memory.ShortID(found[0].Memory.ID) + " note, "; !strings.Contains(text, want) {
		t.Errorf("no line begins with %q:\n%s", want, text)
	}
}

// A content that was shown, at the start or later, is not injected again in other words from any
// other memory.
func TestNothingIsRepeatedInOtherWords(t *testing.T) {
	const first, again, more = "the nightly export leaves guests out on purpose",
		"on purpose, guests are left out of every nightly export", "the nightly export leaves guests out since release 31, by the flag skip-guests"
	ask := func(t *testing.T, a *daemontest.Fixture, question string) string {
		t.Helper()
		return daemontest.Recalled(t, a, daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Session: "s2", Text: question, MaxLines: 3})
	}
	t.Run("in one answer", func(t *testing.T) {
		a, _, _ := daemontest.New(t)
		daemontest.Ingested(t, a, daemontest.Prompt(1, "remember: "+first), daemontest.Prompt(2, "remember: "+again), daemontest.Prompt(3, "remember: "+more))
		if text := ask(t, a, "does the nightly export leave guests out on purpose?"); strings.Count(text, "\n- [") != 2 || !strings.Contains(text, "skip-guests") {
			t.Errorf("got %q, want two of the three", text)
		}
	})
	t.Run("in one start", func(t *testing.T) {
		a, _, _ := daemontest.New(t)
		daemontest.Ingested(t, a, daemontest.Prompt(1, "remember: "+first), daemontest.Prompt(2, "remember: "+again), daemontest.Prompt(3, "remember: "+more))
		start, err := a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: "s2", Source: "startup", TokenBudget: 500})
		if err != nil || strings.Count(start.Text, "guests") != 3 || !strings.Contains(start.Text, "skip-guests") {
			t.Errorf("the start has %q, %v, want two of the three", start.Text, err)
		}
	})
	t.Run("after the start", func(t *testing.T) {
		a, _, _ := daemontest.New(t)
		daemontest.Ingested(t, a, daemontest.Prompt(1, "remember: "+first))
		start, err := a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: "s2", Source: "startup", TokenBudget: 500})
		if err != nil || !strings.Contains(start.Text, first) {
			t.Fatalf("the start has %q, %v", start.Text, err)
		}
		daemontest.Ingested(t, a, daemontest.Prompt(2, "remember: "+again))
		const close = "are guests left out of every nightly export?"
		if text := ask(t, a, close); text != "" {
			t.Errorf("told %q", text)
		}
		a.Sessions.Save(t.Context())
		musttest.Same(t, "", ask(t, daemontest.Restarted(a), close), "after a restart it is told (-want +got)")
	})
}

// A rule about a thing does not say that it is to be done: only a todo of the same words repeats a todo.
func TestARuleHidesNoTodo(t *testing.T) {
	a, _, _ := daemontest.New(t)
	daemontest.Ingested(t, a, daemontest.Prompt(1, "Convention: flour is never ordered on mondays"), daemontest.Prompt(2, "Todo: order the flour"),
		daemontest.Prompt(3, "Todo: order flour"))
	start := daemontest.StartOf(t, a, "s9")
	if !strings.Contains(start, "never ordered on mondays") || strings.Count(start, "order the flour")+strings.Count(start, "order flour") != 1 {
		t.Errorf("the start is\n%s", start)
	}
}
