package briefing_test

import (
	"context"
	"errors"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/google/go-cmp/cmp"

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
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("being injected changed the row (-before +after):\n%s", diff)
	}
}

// If the session touches the file of an injected memory, the memory was of use, once, and only
// to the session with the injection.
func TestTouchingTheFileOfAnInjectionIsOneUse(t *testing.T) {
	a, m := withOneMemory(t)
	daemontest.Ingested(t, a, daemontest.Edit(10, "s2", "server.go")) // it was not injected yet
	if got := usesOf(t, a, m.ID); got != 0 {
		t.Errorf("%d uses by a session that was not given it", got)
	}
	daemontest.Recalled(t, a, daemonapi.RecallParams{Session: "s2", Purpose: daemonapi.ForRead, File: "server.go"})
	for n, step := range []struct {
		event memory.Event
		want  int
	}{
		{daemontest.Edit(20, "s2", "other.go"), 0},
		{daemontest.Command(21, "s2", memory.EventCommandSucceeded, "make", ""), 0},
		{daemontest.Edit(22, "s3", "server.go"), 0},
		{daemontest.Edit(23, "s2", "server.go"), 1},
		{daemontest.Edit(24, "s2", "server.go"), 1},
	} {
		daemontest.Ingested(t, a, step.event)
		if got := usesOf(t, a, m.ID); got != step.want {
			t.Errorf("after step %d: %d uses, want %d", n, got, step.want)
		}
	}
	daemontest.Recalled(t, a, daemonapi.RecallParams{Session: "s3", Purpose: daemonapi.ForRead, File: "server.go"})
	daemontest.Ingested(t, a, daemontest.Edit(30, "s3", "server.go"), daemontest.Edit(31, "s3", "server.go"))
	if got := usesOf(t, a, m.ID); got != 2 {
		t.Errorf("two sessions used it, it has %d uses", got)
	}
}

// A batch that the store refused is ingested again, with the uses that it proves.
func TestAUseIsNotLostWhileTheStoreIsDown(t *testing.T) {
	a, m := withOneMemory(t)
	daemontest.Recalled(t, a, daemonapi.RecallParams{Session: "s2", Purpose: daemonapi.ForRead, File: "server.go"})
	store := a.Store.(*daemontest.FaultyStore)
	store.Fail = func(memory.Batch) error { return memory.ErrUnavailable }
	daemontest.Put(t, a.Spools[0], daemontest.Edit(20, "s2", "server.go"))
	if _, err := a.Intake.Ingest(t.Context()); !errors.Is(err, memory.ErrUnavailable) {
		t.Fatalf("error %v, want ErrUnavailable", err)
	}
	store.Fail = nil
	daemontest.Ingested(t, a)
	if got := usesOf(t, a, m.ID); got != 1 {
		t.Errorf("%d uses", got)
	}
}

func TestRunningTheCommandOfAnInjectedFixIsOneUse(t *testing.T) {
	a, _, _ := daemontest.New(t)
	daemontest.Ingested(t, a, daemontest.Story()...)
	if text := daemontest.Recalled(t, a, daemonapi.RecallParams{Session: "s2", Purpose: daemonapi.ForCommand, Command: "go test ./server"}); text == "" {
		t.Fatal("nothing was injected")
	}
	given := injectedInto(t, a, "s2")
	daemontest.Ingested(t, a, daemontest.Command(40, "s2", memory.EventCommandSucceeded, "cd /p && go test ./server", ""))
	for _, id := range given {
		if got := usesOf(t, a, id); got != 1 {
			t.Errorf("%s has %d uses", daemontest.RowOf(t, a, id).Memory.Content, got)
		}
	}
}

// A memory returned to an explicit question was of use, once a session, whether or not the session
// also touches its file.
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
	daemontest.Ingested(t, a, daemontest.Edit(20, "s2", "server.go"))
	if got := usesOf(t, a, m.ID); got != 1 {
		t.Errorf("one session used it, it has %d uses", got)
	}
	ask("s2")
	ask("s3")
	if got := usesOf(t, a, m.ID); got != 2 {
		t.Errorf("two sessions used it, it has %d uses", got)
	}
	ask("") // nobody in particular
	if got := usesOf(t, a, m.ID); got != 2 {
		t.Errorf("outside of any session it was used: %d uses", got)
	}
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
	if _, err := a.Answers.Answer(t.Context(), daemonapi.AnswerParams{TokenBudget: 500, FindParams: daemonapi.FindParams{
		Project: "p", Session: "s2", Text: ask.Text, Limit: 5,
	}}); err != nil {
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
