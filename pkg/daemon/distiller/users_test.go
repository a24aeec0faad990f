package distiller_test

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The user's own later words take back what the user asked to keep: the user is told once, and an undo brings it back.
// Words of the assistant, or that the user pasted, take back nothing of the user's.
func TestTheUsersLaterWordsTakeBackEarlierOnes(t *testing.T) {
	const asked, kept, fact = "Remember: the staging db listens on 5433", "the staging db listens on 5433", "The staging db listens on 6544."
	for name, test := range map[string]struct {
		prompt, quote string
		earlier       string
		isReplaced    bool
	}{
		"the user's words":       {"the staging db moved to 6544 last night", "staging db moved to 6544", asked, true},
		"after a guess":          {"the staging db moved to 6544 last night", "staging db moved to 6544", "from now on " + kept, true},
		"the assistant's words":  {"look at the staging db", "It joins on the session now", asked, false},
		"a quotation":            {"the staging db is odd. Max wrote:\n\n> the staging db moved to 6544\n\nis that right?", "staging db moved to 6544", asked, false},
		"a tool's report":        {"<task-notification>the staging db moved to 6544</task-notification>", "staging db moved to 6544", asked, false},
		"a plan of the model's":  {"Implement the following plan:\n\nthe staging db moved to 6544, so change all files", "staging db moved to 6544", asked, false},
		"the user's older words": {"the staging db moved to 6544 last night", "staging db moved to 6544", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			a, _, s := distilling(t, func(q distill.Question) (distill.Reply, error) {
				if !strings.Contains(q.Prompt, "staging db") || strings.Contains(q.Prompt, "user: "+asked) || strings.Contains(q.Prompt, "user: from now") {
					return distill.Reply{Text: []byte(`{"summary":{"request":"x"},"facts":[]}`)}, nil
				}
				return distill.Reply{Text: fmt.Appendf(nil, `{"summary":{"request":"x"},"facts":[{"text":%q,"kind":"note","quotes":[%q],"about":%q,"relation":"supersedes"}]}`,
					fact, test.quote, cmp.Or(daemontest.ShownID(q, kept), daemontest.ShownID(q, test.earlier)))}, nil
			})
			a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 0, 2) }
			a.Rebuild()
			first, second := daemontest.Ended("s1", test.earlier), anHourLater(daemontest.Ended("s2", test.prompt))
			if test.earlier == "" { // asked for after the session that is distilled last
				first = anHourLater(anHourLater(daemontest.Ended("s1", asked)))
			}
			daemontest.Put(t, s, first[:len(first)-1]...) // it is not over, and so not distilled
			live(t, a, s, second...)
			id := memory.NewID(memory.ScopeProject, "p", kept)
			by := memory.NewID(memory.ScopeProject, "p", fact)
			if _, err := memory.Find(t.Context(), a.Store, id); errors.Is(err, memory.ErrNotFound) { // it is kept as it stands
				id = memory.NewID(memory.ScopeProject, "p", test.earlier)
			}
			if got := daemontest.RowOf(t, a, id).SupersededBy; (got == by) != test.isReplaced {
				t.Fatalf("it is superseded by %q", got)
			}
			line, run := a.Told.Next(t.Context(), "p")
			if (line != "") != test.isReplaced {
				t.Fatalf("the user is told %q", line)
			}
			if !test.isReplaced {
				return
			}
			if !strings.Contains(line, kept+"” by your later words “"+test.quote+"”") {
				t.Errorf("the user is told %q", line)
			}
			daemontest.ToldOnceAndUndone(t, a, run, id)
		})
	}
}

// A todo of the user's is over by the user's own words only.
func TestATodoOfTheUsersIsOverByTheUsersWords(t *testing.T) {
	const todo = "order the flour for the bakery"
	for quote, want := range map[string]memory.Status{"flour is ordered now": memory.StatusArchived, "It joins on the session now": memory.StatusActive} {
		a, _, s := distilling(t, func(q distill.Question) (distill.Reply, error) {
			return distill.Reply{Text: fmt.Appendf(nil, `{"summary":{"request":"x"},"facts":[],"ended":[{"line":%q,"quote":%q}]}`, daemontest.ShownID(q, todo), quote)}, nil
		})
		a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 0, 2) }
		a.Rebuild()
		first := daemontest.Ended("s1", "Todo: "+todo)
		daemontest.Put(t, s, first[:len(first)-1]...)
		live(t, a, s, anHourLater(daemontest.Ended("s2", "the flour is ordered now"))...)
		row := daemontest.RowOf(t, a, memory.NewID(memory.ScopeProject, "p", todo))
		line, _ := a.Told.Next(t.Context(), "p")
		if row.Memory.Status != want || strings.Contains(line, "you said that it is done") != (want == memory.StatusArchived) {
			t.Errorf("by %q it is %s, and the user is told %q", quote, row.Memory.Status, line)
		}
	}
}
