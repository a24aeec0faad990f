package briefing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// The command that completes work brings the rules for it, two at most and once a session: those with a cue that names it, and the user's
// own. Other commands, and what is no rule, bring nothing.
func TestACommandThatCompletesWorkBringsItsRules(t *testing.T) {
	const changelog, users, finding = "Each change has a line in the changelog.", "we never commit generated files", "The first commit was made by a bot."
	brought := map[string][]string{
		"git add -A && git commit -m 'x'": {changelog, users},
		"git commit --amend --no-edit":    {changelog, users},
		"git push origin main":            {changelog},
		"gh pr create --title x --body y": {changelog},
		"gh release create v1 --notes x":  {changelog},
		"git status":                      nil,
		"git stash push":                  nil,
		"gh pr view 7":                    nil,
		"grep -rn 'git commit' scripts":   nil,
	}
	a, _, s := daemontest.New(t)
	daemontest.Put(t, s, daemontest.Ended("s0", users)...)
	for i, cue := range []string{"commit a change", "before pushing", "open a pull request", "cut the release"} {
		e := daemontest.Stored(2+i, changelog)
		e.RememberedKind, e.Cues, e.Session = memory.KindConvention, []string{cue}, "s0"
		daemontest.Kept(t, a, e)
	}
	other := daemontest.Stored(8, finding)
	other.Cues, other.Session = []string{"who made the first commit"}, "s0"
	daemontest.Kept(t, a, other)
	for command, want := range brought {
		ask := daemonapi.RecallParams{Session: "first " + command, Purpose: daemonapi.ForCommand, Command: memory.CommandKey(command), TokenBudget: 300}
		text := daemontest.Recalled(t, a, ask)
		if strings.Count(text, "\n- ") != len(want) {
			t.Errorf("%s brings\n%s", command, text)
		}
		for _, rule := range want {
			if !strings.Contains(text, rule) {
				t.Errorf("%s does not bring %q, but\n%s", command, rule, text)
			}
		}
		musttest.Same(t, "", daemontest.Recalled(t, a, ask), "%s again brings (-want +got)", command)
	}
	for i := range 4 {
		e := daemontest.Stored(20+i, fmt.Sprintf("Rule %c holds for commits.", 'a'+i))
		e.RememberedKind, e.Cues, e.Session = memory.KindDecision, []string{"git commit"}, "s0"
		daemontest.Kept(t, a, e)
	}
	for command := range brought {
		ask := daemonapi.RecallParams{Session: "second " + command, Purpose: daemonapi.ForCommand, Command: memory.CommandKey(command), TokenBudget: 300}
		if text := daemontest.Recalled(t, a, ask); strings.Count(text, "\n- ") > 2 {
			t.Errorf("%s brings more than two\n%s", command, text)
		}
	}
}
