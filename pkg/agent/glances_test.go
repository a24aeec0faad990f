package agent

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
)

// What is injected into a session is summed up for it alone, with the first line of the last text.
func TestASessionsInjectionsAreSummedUp(t *testing.T) {
	g := newGlances()
	g.injected("s", agentapi.ContextResult{Items: 2, Tokens: 30, Text: "## Rules\n- [a convention] tabs\n- [b note] port\n"})
	g.injected("s", agentapi.ContextResult{Items: 1, Tokens: 12, Text: "- [c todo] " + strings.Repeat("long ", 400)})
	g.injected("s", agentapi.ContextResult{})
	g.injected("", agentapi.ContextResult{Items: 1, Text: "- x"})
	if got := g.Of("s"); got.Memories != 3 || got.Tokens != 42 || !strings.HasPrefix(got.Last, "[c todo] long") || len(got.Last) > mostLast+len("…") {
		t.Errorf("%+v", got)
	}
	if got := g.Of("other"); got != (agentapi.Glance{}) {
		t.Errorf("of another session %+v", got)
	}
}
