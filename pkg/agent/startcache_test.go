package agent_test

import (
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
	put(t, s, prompt(2, "fix it, we never skip the tests\nremember: the second"), prompt(3, "preference: the third"), event(4, memory.EventSessionEnded))
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
	mine := prompt(2, "remember: the port is 8123")
	put(t, s, mine)
	var waits []bool
	store.fail = func(memory.Batch) error {
		waits = append(waits, a.Intake.WaitsFor("p", "1"), a.Intake.WaitsFor("r", "1"))
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
	if a.Intake.WaitsFor("p", "") {
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
	if !a.Intake.WaitsFor("p", "") {
		t.Error("a long queue may hold events of the project")
	}
	if a.Intake.WaitsFor("p", "0") {
		t.Error("none is older than that")
	}
}
