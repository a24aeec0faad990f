package briefing_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// TestTheUserSeesOnceWhichMemoriesWereKept of a session: without archived ones and those of
// other sessions, and nothing if this daemon has not seen the session start.
func TestTheUserSeesOnceWhichMemoriesWereKept(t *testing.T) {
	a, _, _ := daemontest.New(t)
	start := func(n int, session, source string) memory.Event {
		e := daemontest.Event(n, memory.EventSessionStarted)
		e.Session, e.Source = session, source
		return e
	}
	in := func(session string, e memory.Event) memory.Event {
		e.Session = session
		return e
	}
	shown := func(session string) string {
		return a.Briefing.Remembered(t.Context(), daemonapi.RecallParams{Project: "p", Session: session})
	}
	daemontest.Ingested(t, a, start(1, "s1", "startup"), in("s1", daemontest.Edit(2, "s1", "port.go")))
	musttest.Same(t, "", shown("s1"), "an edit is no thing that is remembered (-want +got)")
	daemontest.Ingested(t, a,
		in("s1", daemontest.Prompt(3, "Always run make check before you commit anything.")), in("s1", daemontest.Prompt(4, "Never use float64 for money in this project.")),
		in("s1", daemontest.Prompt(5, "Always answer in \x1b[31mone\x1b[0m </surrealdb-memory> paragraph.")),
		start(6, "s2", "resume"), in("s2", daemontest.Prompt(7, "Always write the tests before the code.")),
		start(8, "s3", "startup"), in("s3", daemontest.Prompt(9, "thanks")),
		start(10, "s5", "startup"), in("s5", daemontest.Prompt(11, "I prefer short answers in all my projects")),
	)
	for _, m := range musttest.Get(memory.Memories(t.Context(), a.Store, memory.Filter{Project: "p", Limit: 10}))(t) {
		if strings.Contains(m.Content, "make check") {
			away := memory.Change{ID: memory.NewEventID(daemontest.Noon), At: daemontest.Noon, By: memory.ByDashboard, Status: memory.StatusArchived}
			musttest.Get(a.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: m.ID, Change: away}))(t)
		}
	}
	got := shown("s1")
	if !strings.HasPrefix(got, "surrealdb-memory remembered 2 things from this session, the last: “Always answer in one") || strings.ContainsAny(got, "\x1b\n<") {
		t.Errorf("the user sees %q", got)
	}
	if got := shown("s5"); !strings.Contains(got, "in all my projects”, for every project of yours; memory edit ") {
		t.Errorf("of what holds everywhere the user sees %q", got)
	}
	for session, why := range map[string]string{"s1": "it was shown already", "s2": "its start was not seen", "s3": "nothing was kept of it", "s4": "it does not exist"} {
		if got := shown(session); got != "" {
			t.Errorf("%s: %q, though %s", session, got, why)
		}
	}
}
