package answers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/agenttest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Strength is the one that maintenance decides by: it counts active days, by the configured
// rules.
func TestExplainedStrengthIsMaintenances(t *testing.T) {
	a, _, _ := agenttest.New(t)
	port := agenttest.Kept(t, a, agenttest.Noted(1, "the staging database listens on port 6543"))
	strength := func() agentapi.Explanation {
		t.Helper()
		e, err := a.Answers.Explain(t.Context(), agentapi.ExplainParams{Project: "p", ID: port.ID})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	begun := strength()
	a.Now = func() time.Time { return agenttest.Noon.AddDate(0, 0, 30) }
	if holiday := strength(); holiday.Strength < begun.Strength/2 {
		t.Errorf("a holiday took the strength from %g to %g", begun.Strength, holiday.Strength)
	}
	if begun.ArchiveBelow != 0.1 {
		t.Errorf("by default: below %g", begun.ArchiveBelow)
	}
	a.Config.Maintenance.Rules.SemanticHalfLife = 1
	a.Rebuild()
	a.Now = func() time.Time { return agenttest.Noon }
	if same := strength(); same.Strength != begun.Strength {
		t.Errorf("unused for no time it has %g, before the half-life was shorter %g", same.Strength, begun.Strength)
	}
}

func TestExplainDescribesAMemoryAndAQuery(t *testing.T) {
	a, _, _ := agenttest.New(t)
	port := agenttest.Kept(t, a, agenttest.Noted(1, "the staging database listens on port 6543"))
	elsewhere := agenttest.Noted(2, "labels are printed in Hamburg")
	elsewhere.Session = "s2"
	labels := agenttest.Kept(t, a, elsewhere)
	explained := func(p agentapi.ExplainParams) agentapi.Explanation {
		t.Helper()
		p.Project = "p"
		e, err := a.Answers.Explain(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	alone := explained(agentapi.ExplainParams{ID: memory.ShortID(port.ID)})
	if alone.Query != nil || alone.ID != port.ID || alone.Status != memory.StatusActive || alone.Scope != port.Scope ||
		alone.Importance != port.Importance || alone.Strength <= 0 || alone.Tokens != port.TokenCount || alone.Tokens == 0 {
		t.Errorf("without a query: %+v", alone)
	}
	const text = "which port does the staging database listen on?"
	hit := explained(agentapi.ExplainParams{ID: port.ID, Text: text}).Query
	if hit == nil || hit.Rank != 0 || hit.Score <= 0 || !strings.Contains(hit.Why, "the session has it") || !hit.Silent {
		t.Errorf("that a session starts with: %+v", hit)
	}
	a.Config.Hooks.SessionStart.TokenBudget = 0
	a.Rebuild()
	if hit = explained(agentapi.ExplainParams{ID: port.ID, Text: text}).Query; hit.Rank != 1 || hit.Score <= 0 || !strings.Contains(hit.Why, "more words") || hit.Silent {
		t.Errorf("the hit: %+v", hit)
	}
	if miss := explained(agentapi.ExplainParams{ID: labels.ID, Text: text}).Query; miss.Rank != 0 || miss.Why == "" || miss.Silent {
		t.Errorf("the miss: %+v", miss)
	}
	if silent := explained(agentapi.ExplainParams{ID: port.ID, Text: "port"}).Query; !silent.Silent || silent.Why == "" {
		t.Errorf("one word: %+v", silent)
	}
	agenttest.Changed(t, a, labels.ID, 1, memory.Change{Status: memory.StatusArchived})
	if gone := explained(agentapi.ExplainParams{ID: labels.ID, Text: "labels printed in Hamburg"}); gone.Status != memory.StatusArchived || !strings.Contains(gone.Query.Why, "not in the index") {
		t.Errorf("archived: %+v, %+v", gone, gone.Query)
	}
	if _, err := a.Answers.Explain(t.Context(), agentapi.ExplainParams{Project: "q", ID: port.ID}); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("of another project: error %v, want ErrNotFound", err)
	}
}

// Reasons are part of the answer, and of its budget.
func TestAnAnswerHasReasons(t *testing.T) {
	a, _, _ := agenttest.New(t)
	a.Counter = agenttest.ExactCounter(t)
	for n := range 46 {
		text := fmt.Sprintf("shelf %d holds labels", n)
		if n < 6 {
			text = fmt.Sprintf("port %d serves the database and its replicas", 6000+n)
		}
		agenttest.Put(t, a.Spools[0], agenttest.Noted(n, text))
	}
	asked := agentapi.AnswerParams{TokenBudget: 250, FindParams: agentapi.FindParams{
		Project: "p", Session: "s2", Text: "which port serves the database and its replicas", Limit: 50,
	}}
	if _, err := a.Intake.Ingest(t.Context()); err != nil {
		t.Fatal(err)
	}
	plain, err := a.Answers.Answer(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	asked.Explain = true
	explained, err := a.Answers.Answer(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(explained)
	if err != nil {
		t.Fatal(err)
	}
	if counted := a.Counter.Count(string(text)); counted != explained.Tokens || counted > asked.TokenBudget {
		t.Errorf("%d tokens, the answer reports %d of %d", counted, explained.Tokens, asked.TokenBudget)
	}
	if len(explained.Memories) == 0 || len(explained.Memories) >= len(plain.Memories) {
		t.Errorf("%d memories with reasons, %d without", len(explained.Memories), len(plain.Memories))
	}
	for _, m := range explained.Memories {
		if !strings.Contains(m.Why, " = words ") {
			t.Errorf("%s: %q", m.Content, m.Why)
		}
	}
	for _, m := range plain.Memories {
		if m.Why != "" {
			t.Errorf("without being asked: %q", m.Why)
		}
	}
	asked.Text = "and its" // stop words, which the index does not have
	if weak, err := a.Answers.Answer(t.Context(), asked); err != nil || len(weak.Memories) == 0 || !strings.Contains(weak.Memories[0].Why, "nothing fits") {
		t.Errorf("weak: %+v, %v", weak, err)
	}
}
