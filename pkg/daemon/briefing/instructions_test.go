package briefing_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/instructions"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/ruleblock"
)

// TestMemoriesThatTheClientLoadsAreNotInjected stores two rules, of which CLAUDE.md has one.
func TestMemoriesThatTheClientLoadsAreNotInjected(t *testing.T) {
	root, client := t.TempDir(), t.TempDir()
	file := filepath.Join(root, "CLAUDE.md")
	synctest.Test(t, func(t *testing.T) { // its clock stands still while files are read
		a, _, s := daemontest.New(t)
		a.Instructions = instructions.New(client, time.Now)
		a.Rebuild()
		const rule, other = "database migrations are numbered with four digits", "database migrations need a test of their own"
		daemontest.Put(t, s, daemontest.Prompt(1, "Remember: "+rule))
		daemontest.Ingested(t, a, daemontest.Prompt(2, "Remember: "+other))
		const question = "how are the database migrations numbered, and do they need a test?"
		session := ""
		injected := func() map[string]string {
			t.Helper()
			session += "x"
			time.Sleep(time.Second) // of the bubble's clock
			start := musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{
				Project: "p", Root: root, Session: session, Source: "startup", TokenBudget: 1000, Before: "0",
			}))(t)
			texts := map[string]string{"start": start.Text}
			for text, purpose := range map[string]string{question: daemonapi.ForPrompt, "reviewer": daemonapi.ForSubagent, "Explore": daemonapi.ForSubagent} {
				a.Sessions.ExpectSubagent(session+text, text, "number the new database migrations and write a test of their own for them")
				answer := musttest.Get(a.Briefing.Recall(t.Context(), daemonapi.RecallParams{
					Purpose: purpose, Project: "p", Root: root, Session: session + text, Text: text, TokenBudget: 1000,
				}))(t)
				texts[text] = answer.Text
			}
			return texts
		}
		expect := func(when string, isInjected map[string]bool) {
			t.Helper()
			for where, text := range injected() {
				musttest.Same(t, isInjected[where], strings.Contains(text, rule), "%s, %s: the rule is injected (-want +got)", when, where)
				if !strings.Contains(text, other) {
					t.Errorf("%s, %s: the other rule is not injected:\n%s", when, where, text)
				}
			}
		}
		all := map[string]bool{"start": true, question: true, "reviewer": true, "Explore": true}
		onlyExplore := map[string]bool{"Explore": true} // the client loads no instructions for it
		expect("before there is a file", all)
		musttest.Do(t, os.WriteFile(file, []byte("# Rules\n\n- Number database migrations with four digits.\n"), 0o644))
		expect("CLAUDE.md says it", onlyExplore)

		found, err := a.Answers.Find(t.Context(), daemonapi.FindParams{Project: "p", Text: "database migrations numbered digits", Limit: 5})
		if err != nil || len(found) == 0 || !strings.Contains(found[0].Memory.Content, rule) {
			t.Errorf("asked in so many words: %+v, %v", found, err)
		}
		if e, err := a.Answers.Explain(t.Context(), daemonapi.ExplainParams{Project: "p", Root: root, ID: found[0].Memory.ID}); err != nil || !strings.Contains(e.Start.Why, "CLAUDE.md") {
			t.Errorf("explained: %+v, %v", e, err)
		}

		musttest.Do(t, os.WriteFile(file, []byte("# Rules\n\n- Number database migrations with five digits, 5.\n"), 0o644))
		expect("CLAUDE.md says something else", all)

		text, err := ruleblock.Parse("# Rules\n")
		if err != nil || !text.Add(found[0].Memory) {
			t.Fatal(err)
		}
		musttest.Do(t, os.WriteFile(file, []byte(strings.Replace(text.String(), rule, "see the guide", 1)), 0o644))
		expect("it stands in the block of rules, whatever its words are by now", onlyExplore)

		const old, newer = "the staging database listens on port 5432", "the staging database listens on port 6543"
		daemontest.Put(t, s, daemontest.Prompt(3, "Remember: "+old))
		daemontest.Ingested(t, a, daemontest.Prompt(4, "Remember: "+newer))
		musttest.Do(t, os.WriteFile(file, []byte("# Rules\n\n- The staging database listens on port 6543\n"), 0o644))
		for where, text := range injected() {
			if at := strings.Index(text, old); at >= 0 && !strings.Contains(text[:at], newer) {
				t.Errorf("CLAUDE.md has the newer of two ports, and %s tells the older one alone:\n%s", where, text)
			}
		}
	})
}
