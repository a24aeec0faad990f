package intake_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/agenttest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/schedule"
)

// A statement is stored and injected with the text that it answers, however the session arrives:
// event by event, as one batch, or as a transcript. A conclusion that the user rejected is stored
// and no longer injected.
func TestAStatementIsInjectedWithTheTextItAnswers(t *testing.T) {
	for name, in := range map[string]func(*testing.T, *agenttest.Fixture, []memory.Event){
		"event by event": func(t *testing.T, a *agenttest.Fixture, events []memory.Event) {
			for _, e := range events {
				agenttest.Ingested(t, a, e)
			}
		},
		"as one batch": func(t *testing.T, a *agenttest.Fixture, events []memory.Event) { agenttest.Ingested(t, a, events...) },
		"imported": func(t *testing.T, a *agenttest.Fixture, events []memory.Event) {
			for i := range events {
				events[i].ID = memory.NewImportID("test", events[i].ID)
			}
			if _, err := a.Intake.Import(t.Context(), agentapi.ImportParams{Events: events}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, store, _ := agenttest.New(t)
			in(t, a, rejectedTalk())
			asked := agentapi.RecallParams{Purpose: agentapi.ForPrompt, Session: "s2", Text: "should the session commands come back for the scripts?", MaxLines: 5}
			got := agenttest.Recalled(t, a, asked)
			const want = "no, we removed the session commands on purpose (on “The session commands must come back, because two scripts need them.”)"
			if !strings.Contains(got, want) {
				t.Errorf("got %q, want %q in it", got, want)
			}
			run, err := a.Upkeep.Maintain(t.Context(), consolidate.Request{Job: schedule.Dedup, Trigger: "manual"})
			if err != nil || run.Changed != 1 || !strings.Contains(run.Actions[0].Reason, "the user rejected it") {
				t.Fatalf("the run is %+v, %v", run, err)
			}
			start, err := a.Briefing.SessionContext(t.Context(), agentapi.SessionContextParams{Project: "p", Session: "s3", Source: "startup", TokenBudget: 800})
			if err != nil || !strings.Contains(start.Text, "on purpose") || strings.Contains(start.Text, "two scripts need them") {
				t.Errorf("the start has %q, %v", start.Text, err)
			}
			rows, err := store.Rows(t.Context(), memory.WithIDs{run.Actions[0].Memory})
			if err != nil || len(rows) != 1 || rows[0].Memory.Status != memory.StatusActive || rows[0].SupersededBy == "" {
				t.Errorf("the conclusion is %+v, %v", rows, err)
			}
		})
	}
}

// rejectedTalk is a conclusion, and the user's rejection of it in the next turn.
func rejectedTalk() []memory.Event {
	lastWords := func(n int, text string) memory.Event {
		e := agenttest.Event(n, memory.EventTurnEnded)
		e.Text = text
		return e
	}
	return []memory.Event{
		agenttest.Prompt(1, "clean up the list of commands"),
		lastWords(2, "I went through the list.\n\nThe session commands must come back, because two scripts need them."),
		agenttest.Prompt(3, "no, we removed the session commands on purpose"),
		lastWords(4, "They are out again."),
	}
}
