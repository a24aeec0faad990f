package intake_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// A line that the assistant has just written is no request of the user's, however the session arrives:
// event by event, as one batch, or as a transcript.
func TestWhatTheAssistantHasJustWrittenIsPasted(t *testing.T) {
	for name, in := range map[string]func(*testing.T, *daemontest.Fixture, []memory.Event){
		"event by event": func(t *testing.T, a *daemontest.Fixture, events []memory.Event) {
			for _, e := range events {
				daemontest.Ingested(t, a, e)
			}
		},
		"as one batch": func(t *testing.T, a *daemontest.Fixture, events []memory.Event) { daemontest.Ingested(t, a, events...) },
		"imported": func(t *testing.T, a *daemontest.Fixture, events []memory.Event) {
			for i := range events {
				events[i].ID = memory.NewImportID("test", events[i].ID)
			}
			musttest.Get(a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: events}))(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, _, _ := daemontest.New(t)
			in(t, a, pastedTalk())
			requireAdoptedOnly(t, a)
		})
	}
}

// pastedTalk is a proposal, and two prompts after it: one pastes the proposal, the other has a rule of the user's own.
func pastedTalk() []memory.Event {
	lastWords := func(n int, text string) memory.Event {
		e := daemontest.Event(n, memory.EventTurnEnded)
		e.Text = text
		return e
	}
	return []memory.Event{
		daemontest.Prompt(1, "clean up the list of commands"),
		lastWords(2, "I went through the list. We could write:\n- Convention: the session commands must come back."),
		daemontest.Prompt(3, "- Convention: the session commands must come back.\nConvention: commands are sorted."),
		lastWords(4, "They are out again."),
	}
}

// requireAdoptedOnly wants the user's own rule of pastedTalk at a start, and not the pasted one.
func requireAdoptedOnly(t *testing.T, a *daemontest.Fixture) {
	t.Helper()
	start, err := a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: "s3", Source: "startup", TokenBudget: 800})
	if err != nil || !strings.Contains(start.Text, "commands are sorted") || strings.Contains(start.Text, "must come back") {
		t.Errorf("the start has %q, %v", start.Text, err)
	}
}
