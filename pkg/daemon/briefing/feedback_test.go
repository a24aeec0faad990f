package briefing_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
)

const aboutServer = "server.go listens on port 6543"

// withOneMemory is a daemon with one memory, about a file.
func withOneMemory(t *testing.T) (*daemontest.Fixture, memory.Memory) {
	t.Helper()
	a, _, _ := daemontest.New(t)
	e := daemontest.Noted(1, aboutServer)
	e.Files = []string{"server.go"}
	return a, daemontest.Kept(t, a, e)
}

// usesOf are the uses of a memory, after all pending records are stored.
func usesOf(t *testing.T, a *daemontest.Fixture, id string) int {
	t.Helper()
	a.Sessions.Save(t.Context())
	return daemontest.RowOf(t, a, id).Uses
}

func injectedInto(t *testing.T, a *daemontest.Fixture, session string) []string {
	t.Helper()
	a.Sessions.Save(t.Context())
	injected := musttest.Get(memory.Injections(t.Context(), a.Store, memory.InjectedInto{Session: session}))(t)
	var ids []string
	for _, one := range injected {
		if one.Subagent == "" {
			ids = append(ids, one.Memory)
		}
	}
	return ids
}

func TestAnInjectionIsNoUse(t *testing.T) {
	a, m := withOneMemory(t)
	before := daemontest.RowOf(t, a, m.ID)
	for _, session := range []string{"s2", "s3", "s4"} {
		if text := daemontest.Recalled(t, a, daemonapi.RecallParams{Session: session, Purpose: daemonapi.ForRead, File: "server.go"}); text == "" {
			t.Fatal("nothing was injected")
		}
		if got := injectedInto(t, a, session); !cmp.Equal(got, []string{m.ID}) {
			t.Errorf("into %s was injected %v", session, got)
		}
	}
	after := daemontest.RowOf(t, a, m.ID)
	musttest.Same(t, before, after, "being injected changed the row (-before +after)")
}

// A memory returned to an explicit question was of use, once a session.
func TestBeingRecalledOnPurposeIsOneUseASession(t *testing.T) {
	a, m := withOneMemory(t)
	ask := func(session string) {
		t.Helper()
		answer, err := a.Answers.Answer(t.Context(), daemonapi.AnswerParams{TokenBudget: 500, FindParams: daemonapi.FindParams{
			Project: "p", Session: session, Text: "which port server.go listens on", Limit: 5, Kinds: []memory.Kind{memory.KindNote},
		}})
		if err != nil || len(answer.Memories) != 1 {
			t.Fatalf("answered %+v, %v", answer, err)
		}
	}
	ask("s2")
	ask("s2")
	musttest.Same(t, 1, usesOf(t, a, m.ID), "uses by one session (-want +got)")
	ask("s2")
	ask("s3")
	musttest.Same(t, 2, usesOf(t, a, m.ID), "uses by two sessions (-want +got)")
	ask("") // nobody in particular
	musttest.Same(t, 2, usesOf(t, a, m.ID), "uses, one of them outside of any session (-want +got)")
}

// saidOnly is a store which panics at any call but the one for what was said.
type saidOnly struct{ storetest.Store }

func (saidOnly) Records(_ context.Context, q memory.RecordQuery) ([]memory.SessionRecord, error) {
	_ = q.(memory.ProjectRecords)
	return nil, nil
}

// No hook waits until injections and uses are recorded: once the project and the session are
// cached, recall makes no call of the store at all, and an explicit question only reads what was said.
func TestFeedbackIsNeverOnTheHotPath(t *testing.T) {
	a, m := withOneMemory(t)
	ask := daemonapi.RecallParams{Session: "s2", Purpose: daemonapi.ForPrompt, Text: "hello"}
	daemontest.Recalled(t, a, ask) // has them loaded
	faulty := a.Store.(*daemontest.FaultyStore)
	store := faulty.Store
	faulty.Store = struct{ storetest.Store }{} // any call panics
	ask.Text = "which port does server.go listen on"
	if text := daemontest.Recalled(t, a, ask); text == "" {
		t.Error("nothing was recalled")
	}
	faulty.Store = saidOnly{}
	if _, err := a.Answers.Answer(t.Context(), daemonapi.AnswerParams{TokenBudget: 500, FindParams: daemonapi.FindParams{Project: "p", Session: "s2", Text: ask.Text, Limit: 5}}); err != nil {
		t.Error(err)
	}
	writes := 0
	faulty.Store, faulty.Fail = store, func(b memory.Batch) error {
		writes++
		if len(b.Injections) != 2 || len(b.Uses) != 1 {
			t.Errorf("%d injections and %d uses", len(b.Injections), len(b.Uses))
		}
		return nil
	}
	for range 2 {
		a.Sessions.Save(t.Context())
	}
	if uses := daemontest.RowOf(t, a, m.ID).Uses; writes != 1 || uses != 1 {
		t.Errorf("%d writes, %d uses", writes, uses)
	}
}

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
	if got := shown("s5"); !strings.Contains(got, "in all my projects”, for all your projects; memory edit ") {
		t.Errorf("of what holds everywhere the user sees %q", got)
	}
	for session, why := range map[string]string{"s1": "it was shown already", "s2": "its start was not seen", "s3": "nothing was kept of it", "s4": "it does not exist"} {
		musttest.Same(t, "", shown(session), "%s, though %s: told", session, why)
	}
}
