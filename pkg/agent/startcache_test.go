package agent_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func startOf(t *testing.T, a *fixture, session string) string {
	t.Helper()
	result, err := a.Briefing.SessionContext(t.Context(), agentapi.SessionContextParams{
		Project: "p", Session: session, Source: "startup", TokenBudget: 1000, Before: "0",
	})
	if err != nil {
		t.Fatal(err)
	}
	return result.Text
}

func TestAStartSeesWhatThisAgentWroteSinceTheLast(t *testing.T) {
	a, _, s := newAgent(t)
	put(t, s, prompt(1, "remember: the first"))
	if _, err := a.Intake.Ingest(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := startOf(t, a, "s2"); !strings.Contains(got, "the first") {
		t.Errorf("start is %q", got)
	}
	put(t, s, prompt(2, "fix it, we never skip the tests\nremember: the second"), prompt(3, "preference: the third"), failed(4, "make test"), event(5, memory.EventSessionEnded))
	if _, err := a.Intake.Ingest(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := startOf(t, a, "s3")
	for _, part := range []string{"the first", "the second", "the third", "Recent sessions"} {
		if !strings.Contains(got, part) {
			t.Errorf("start does not tell of %q:\n%s", part, got)
		}
	}
	if got := startOf(t, a, "s1"); strings.Contains(got, "Recent sessions") {
		t.Errorf("a session is told its own summary:\n%s", got)
	}
}

// TestAnotherAgentsWriteIsSeenAfterAWhile is about two agents on one store.
func TestAnotherAgentsWriteIsSeenAfterAWhile(t *testing.T) {
	a, store, _ := newAgent(t)
	now := noon
	a.Now = func() time.Time { return now }
	a.Config.Store.URL = "wss://example.com/rpc"
	a.rebuild()
	startOf(t, a, "s1")
	if err := store.Ingest(t.Context(), ingest.Batch([]memory.Event{prompt(1, "remember: from elsewhere")}, wordCounter{})); err != nil {
		t.Fatal(err)
	}
	now = now.Add(2 * time.Minute)
	if got := startOf(t, a, "s2"); !strings.Contains(got, "from elsewhere") {
		t.Errorf("start is %q", got)
	}
}

func TestAStartWaitsForItsOwnProjectOnly(t *testing.T) {
	a, store, s := newAgent(t)
	other := prompt(1, "remember: elsewhere")
	other.Project.Key = "q"
	put(t, s, other)
	startOf(t, a, "s2")
	if counts, err := s.Counts(); err != nil || counts.New != 1 {
		t.Errorf("a start took %+v of another project, %v", counts, err)
	}
	put(t, s, prompt(2, "remember: the port is 8123"))
	var waits []bool
	store.fail = func(memory.Batch) error {
		waits = append(waits, mustWait(a, "p", "1"), mustWait(a, "r", "1"))
		return nil
	}
	result, err := a.Briefing.SessionContext(t.Context(), agentapi.SessionContextParams{
		Project: "p", Session: "s3", Source: "startup", TokenBudget: 1000, Before: memory.NewEventID(noon.Add(time.Hour)),
	})
	if err != nil || !strings.Contains(result.Text, "8123") {
		t.Errorf("the start tells %q, %v", result.Text, err)
	}
	if len(waits) != 2 || !waits[0] || waits[1] {
		t.Errorf("while the event is stored, starts of its project and of another wait: %v", waits)
	}
	if mustWait(a, "p", "") {
		t.Error("a start waits for nothing")
	}
}

func TestAStartDoesNotLookThroughALongQueue(t *testing.T) {
	a, _, s := newAgent(t)
	for i := range 70 {
		e := prompt(i, "elsewhere")
		e.Project.Key = "q"
		put(t, s, e)
	}
	if !mustWait(a, "p", "") {
		t.Error("a long queue may hold events of the project")
	}
	if mustWait(a, "p", "0") {
		t.Error("none is older than that")
	}
}

func mustWait(a *fixture, project, id string) bool {
	_, wait := a.Intake.Pending(project, id)
	return wait
}

// TestAStartDoesNotWaitForAnEnd ends a session and starts the next while the store takes
// nothing: the start tells the same as when all is stored.
func TestAStartDoesNotWaitForAnEnd(t *testing.T) {
	a, store, s := newAgent(t)
	ingest := func() {
		t.Helper()
		if _, err := a.Intake.Ingest(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	started := event(1, memory.EventSessionStarted)
	started.Source = "startup"
	changed := event(3, memory.EventFileChanged)
	changed.Tool, changed.File, changed.After = "Edit", "port.go", "const port = 8123"
	turn := event(4, memory.EventTurnEnded)
	turn.Text = "The port is a constant now."
	put(t, s, started, prompt(2, "make the port a constant"), changed, turn)
	ingest()
	startOf(t, a, "s0")
	if err := a.Intake.Foresee(t.Context()); err != nil {
		t.Fatal(err)
	}
	put(t, s, event(5, memory.EventSessionEnded))
	refused := 0
	store.fail = func(memory.Batch) error { refused++; return memory.ErrUnavailable }
	before := startAfter(t, a, "s2")
	if refused > 0 || !strings.Contains(before, "make the port a constant") {
		t.Errorf("the start waited %d times, and tells:\n%s", refused, before)
	}
	store.fail = nil
	ingest()
	if after := startAfter(t, a, "s3"); after != before {
		t.Errorf("the start told:\n%s\nwhen the end was stored:\n%s", before, after)
	}
}

// startAfter is a start after all events that the test has spooled.
func startAfter(t *testing.T, a *fixture, session string) string {
	t.Helper()
	result, err := a.Briefing.SessionContext(t.Context(), agentapi.SessionContextParams{
		Project: "p", Session: session, Source: "startup", TokenBudget: 1000, Before: memory.NewEventID(noon.Add(time.Hour)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return result.Text
}

// TestAStartWaitsForWhatItTells has a start find events that may change what it tells.
func TestAStartWaitsForWhatItTells(t *testing.T) {
	edit := event(11, memory.EventFileChanged)
	edit.Tool, edit.File, edit.After = "Edit", "port.go", "const port = 8123"
	resumed := event(11, memory.EventSessionStarted)
	resumed.Source = "resume"
	other := edit
	other.Session = "s9"
	for name, c := range map[string]struct {
		waiting []memory.Event
		want    bool
	}{
		"nothing":                      {nil, false},
		"an edit":                      {[]memory.Event{edit}, false},
		"a rule":                       {[]memory.Event{prompt(11, "remember: the port is 8123")}, true},
		"a prompt that reopens":        {[]memory.Event{prompt(11, "go on")}, true},
		"a session that goes on":       {[]memory.Event{resumed}, true},
		"an end":                       {[]memory.Event{event(12, memory.EventSessionEnded)}, false},
		"an end and an edit before it": {[]memory.Event{edit, event(12, memory.EventSessionEnded)}, true},
		"an end and an edit elsewhere": {[]memory.Event{other, event(12, memory.EventSessionEnded)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			a, _, s := newAgent(t)
			put(t, s, prompt(1, "make the port a constant"), event(2, memory.EventTurnEnded))
			if _, err := a.Intake.Ingest(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := a.Intake.Foresee(t.Context()); err != nil {
				t.Fatal(err)
			}
			put(t, s, c.waiting...)
			if got := mustWait(a, "p", ""); got != c.want {
				t.Errorf("a start must wait: %v, want %v", got, c.want)
			}
		})
	}
}

// TestAnOutcomeIsDroppedWithWhatItTellsOf forgets a memory that a foreseen summary may
// tell of.
func TestAnOutcomeIsDroppedWithWhatItTellsOf(t *testing.T) {
	a, _, s := newAgent(t)
	put(t, s, prompt(1, "remember: the port is 8123"), event(2, memory.EventTurnEnded))
	if _, err := a.Intake.Ingest(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.Intake.Foresee(t.Context()); err != nil {
		t.Fatal(err)
	}
	put(t, s, event(3, memory.EventSessionEnded))
	if mustWait(a, "p", "") {
		t.Fatal("the outcome is not foreseen")
	}
	if err := a.Intake.Rewrite(t.Context(), func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if !mustWait(a, "p", "") {
		t.Error("a start would tell what was purged")
	}
}
