package distiller_test

import (
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
)

// Of two facts that no model has related the younger alone stands in a start, and both wait for a verdict.
func TestFactsThatDifferInAValueWaitForAVerdict(t *testing.T) {
	a, _, s := distilling(t, func(q distill.Question) (distill.Reply, error) {
		_, session, _ := strings.Cut(q.Prompt, "<session>")
		return portsOf(false)(distill.Question{Prompt: "<session>" + session})
	})
	a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 0, 30) }
	live(t, a, s, sessionOfPorts(1, []said{{"staging", 5433}})...)
	live(t, a, s, sessionOfPorts(2, []said{{"staging", 6544}})...)
	if got := standingFacts(t, a); len(got) != 2 {
		t.Fatalf("%q stand", got)
	}
	_, start, _ := strings.Cut(daemontest.StartOf(t, a, "s9"), "## Facts") // the user's own words stand above
	if !strings.Contains(start, "staging port is 6544") || strings.Contains(start, "staging port is 5433") {
		t.Errorf("the start is\n%s", start)
	}
}
