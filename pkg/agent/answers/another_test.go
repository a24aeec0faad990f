package answers_test

import (
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/agenttest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// Agents of two machines on one remote store see each other's writes, not at once
// but soon.
func TestAnotherAgentsWritesAreSeen(t *testing.T) {
	const text = "which port does the staging database listen on?"
	asking := agentapi.FindParams{Text: text, Session: "s2"}
	for url, sees := range map[string]bool{"ws://db.example.com": true, "": false} {
		a, _, _ := agenttest.New(t)
		now := agenttest.Noon
		a.Now = func() time.Time { return now }
		a.Config.Store.URL = url
		a.Rebuild()
		agenttest.Kept(t, a, agenttest.Noted(1, "labels are printed in Hamburg"))
		if got := agenttest.Found(t, a, asking); len(got) > 0 {
			t.Fatalf("found %q before the agent got the change", got)
		}
		other := agenttest.Restarted(a)
		other.Spools = []*spool.Spool{spool.New(t.TempDir())}
		other.Rebuild()
		agenttest.Kept(t, other, agenttest.Noted(2, "the staging database listens on port 6543"))
		hits := func() int {
			e, err := a.Answers.Explain(t.Context(), agentapi.ExplainParams{
				Project: "p", Text: text, ID: agenttest.Kept(t, other, agenttest.Noted(2, "the staging database listens on port 6543")).ID,
			})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(e.Query.Why, "not in the index") {
				return 0
			}
			return 1
		}
		a.Briefing.Reload(t.Context())
		if hits() > 0 {
			t.Errorf("%q: seen at once", url)
		}
		now = now.Add(5 * time.Minute)
		a.Briefing.Reload(t.Context())
		if (hits() == 1) != sees {
			t.Errorf("%q: after five minutes the other agent's memory has the rank %d", url, hits())
		}
	}
}
