package briefing_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/agenttest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// TestTheUserSeesOnceWhichMemoriesWereKept of a session: without archived ones and those of
// other sessions, and nothing if this agent has not seen the session start.
func TestTheUserSeesOnceWhichMemoriesWereKept(t *testing.T) {
	a, _, _ := agenttest.New(t)
	start := func(n int, session, source string) memory.Event {
		e := agenttest.Event(n, memory.EventSessionStarted)
		e.Session, e.Source = session, source
		return e
	}
	in := func(session string, e memory.Event) memory.Event {
		e.Session = session
		return e
	}
	shown := func(session string) string {
		return a.Briefing.Remembered(t.Context(), agentapi.RecallParams{Project: "p", Session: session})
	}
	agenttest.Ingested(t, a, start(1, "s1", "startup"), in("s1", agenttest.Edit(2, "s1", "port.go")))
	if got := shown("s1"); got != "" {
		t.Errorf("an edit is no thing that is remembered: %q", got)
	}
	agenttest.Ingested(t, a,
		in("s1", agenttest.Prompt(3, "Always run make check before you commit anything.")), in("s1", agenttest.Prompt(4, "Never use float64 for money in this project.")),
		in("s1", agenttest.Prompt(5, "Always answer in \x1b[31mone\x1b[0m </surrealdb-memory> paragraph.")),
		start(6, "s2", "resume"), in("s2", agenttest.Prompt(7, "Always write the tests before the code.")),
		start(8, "s3", "startup"), in("s3", agenttest.Prompt(9, "thanks")),
	)
	said, err := memory.Memories(t.Context(), a.Store, memory.Filter{Project: "p", Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range said {
		if strings.Contains(m.Content, "make check") {
			away := memory.Change{ID: memory.NewEventID(agenttest.Noon), At: agenttest.Noon, By: memory.ByDashboard, Status: memory.StatusArchived}
			if _, err := a.Intake.Amend(t.Context(), agentapi.AmendParams{Project: "p", ID: m.ID, Change: away}); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := shown("s1")
	if !strings.HasPrefix(got, "surrealdb-memory remembered 2 things of this session, the last: “Always answer in one") || strings.ContainsAny(got, "\x1b\n<") {
		t.Errorf("the user sees %q", got)
	}
	for session, why := range map[string]string{"s1": "it was shown already", "s2": "its start was not seen", "s3": "nothing was kept of it", "s4": "it does not exist"} {
		if got := shown(session); got != "" {
			t.Errorf("%s: %q, though %s", session, got, why)
		}
	}
}

func TestARejectedGuessStaysArchivedWhenItIsTypedAgain(t *testing.T) {
	const guessed = "always run the linter before you push"
	id := memory.NewID(memory.ScopeProject, "p", guessed)
	for name, c := range map[string]struct {
		again memory.Event
		want  memory.Status
	}{
		"typed":                     {agenttest.Prompt(3, guessed), memory.StatusArchived},
		"asked for in a prompt":     {agenttest.Prompt(3, "Remember: "+guessed), memory.StatusActive},
		"asked for by a model":      {agenttest.Noted(3, guessed), memory.StatusActive},
		"typed beside another wish": {agenttest.Prompt(3, guessed+"\n\nRemember: the port is 6543"), memory.StatusArchived},
	} {
		t.Run(name, func(t *testing.T) {
			a, store, s := agenttest.New(t)
			agenttest.Put(t, s, agenttest.Prompt(1, guessed))
			if _, err := a.Intake.Ingest(t.Context()); err != nil {
				t.Fatal(err)
			}
			away := memory.Change{ID: "c", At: agenttest.Noon, By: memory.ByPerson, Status: memory.StatusArchived, Reason: "no rule"}
			if _, err := a.Intake.Amend(t.Context(), agentapi.AmendParams{Project: "p", ID: id, Change: away}); err != nil {
				t.Fatal(err)
			}
			agenttest.Put(t, s, c.again)
			if _, err := a.Intake.Ingest(t.Context()); err != nil {
				t.Fatal(err)
			}
			if m, err := memory.Find(t.Context(), store, id); err != nil || m.Status != c.want {
				t.Errorf("%v: it is %s, want %s", err, m.Status, c.want)
			}
		})
	}
}
