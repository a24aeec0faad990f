package answers_test

import (
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// Daemons of two machines on one remote store see each other's writes, not at once
// but soon.
func TestAnotherDaemonsWritesAreSeen(t *testing.T) {
	const text = "which port does the staging database listen on?"
	asking := daemonapi.FindParams{Text: text, Session: "s2"}
	for url, sees := range map[string]bool{"ws://db.example.com": true, "": false} {
		a, _, _ := daemontest.New(t)
		now := daemontest.Noon
		a.Now = func() time.Time { return now }
		a.Config.Store.URL = url
		a.Rebuild()
		daemontest.Kept(t, a, daemontest.Noted(1, "labels are printed in Hamburg"))
		if got := daemontest.Found(t, a, asking); len(got) > 0 {
			t.Fatalf("found %q before the daemon got the change", got)
		}
		other := daemontest.Restarted(a)
		other.Spools = []*spool.Spool{spool.New(t.TempDir())}
		other.Rebuild()
		daemontest.Kept(t, other, daemontest.Noted(2, "the staging database listens on port 6543"))
		hits := func() int {
			e := musttest.Get(a.Answers.Explain(t.Context(), daemonapi.ExplainParams{
				Project: "p", Text: text, ID: daemontest.Kept(t, other, daemontest.Noted(2, "the staging database listens on port 6543")).ID,
			}))(t)
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
			t.Errorf("%q: after five minutes the other daemon's memory has the rank %d", url, hits())
		}
	}
}
