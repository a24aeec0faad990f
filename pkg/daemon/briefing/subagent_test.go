package briefing_test

import (
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// A subagent has none of its parent's context, so it gets the user's rules, also those of which
// no word is in its task, whatever its type.
func TestASubagentGetsTheUsersRules(t *testing.T) {
	a, _, _ := daemontest.New(t)
	const cents, snake = "amounts are integer cents", "snake_case"
	turn := func(n int, session, asked, answer string) {
		prompt, ended := daemontest.Prompt(n, asked), daemontest.Event(n+1, memory.EventTurnEnded)
		prompt.Session, ended.Session, ended.Text = session, session, answer
		daemontest.Ingested(t, a, prompt, ended)
	}
	turn(1, "s0", "Remember: "+cents+", never floats", "I will.")
	turn(3, "s0", "From now on we write names in the database in snake_case, everywhere.", "Noted.")
	turn(5, "s1", "Implement GET /customers with paging", "GET /customers is implemented with paging; the list of customers is JSON.")
	turn(7, "s1", "Implement GET /orders with paging", "GET /orders is implemented with paging; the list of orders is JSON.")
	const task = "Implement GET /invoices in api/invoices.go: a list of invoices with paging, amounts as JSON, like GET /orders and GET /customers."
	for _, kind := range []string{"general-purpose", "invoice-expert", "Explore"} {
		a.Sessions.ExpectSubagent("s2", kind, task)
		text := daemontest.Recalled(t, a, daemonapi.RecallParams{Purpose: daemonapi.ForSubagent, Session: "s2", Text: kind, Subagent: kind})
		if !strings.Contains(text, snake) || !strings.Contains(text, cents) {
			t.Errorf("%s got\n%s", kind, text)
		}
	}
}

// In a distilled project a subagent gets the facts for every session and those that fit its
// task in full; of the others it sees the titles in the areas of those that fit.
func TestASubagentGetsTheFactsOfItsTask(t *testing.T) {
	a, _, _ := daemontest.New(t)
	batch := memory.Batch{
		Projects: []memory.Project{{Key: "p", Name: "p", Root: "/p", SeenAt: daemontest.Noon}},
		Sessions: []memory.Session{{ID: "s0", Project: "p", State: memory.SessionActive, StartedAt: daemontest.Noon, LastEventAt: daemontest.Noon}},
	}
	fact := func(area, title, text string, everywhere bool, cues ...string) {
		m := memory.Memory{
			Kind: memory.KindConvention, Content: text, Title: title, Area: area, Cues: cues, Everywhere: everywhere, Project: "p",
			Scope: memory.ScopeProject, Type: memory.TypeSemantic, Status: memory.StatusActive, Importance: memory.FactImportance(2), Session: "s0",
			CreatedAt: daemontest.Noon, LastSeenAt: daemontest.Noon.Add(-time.Duration(len(batch.Memories)) * time.Minute), Source: memory.SourceAssistant,
			Tags: []string{memory.TagModel, memory.TagUsersWords},
		}
		m.ID = memory.NewID(m.Scope, m.Project, m.Content)
		batch.Memories = append(batch.Memories, m)
	}
	fact("api", "Amounts are integer cents", "In JSON all amounts of money are integer cents, never floats.", true, "money in an answer")
	fact("invoices", "Void invoices stay in lists", "A list of invoices has the void ones, too, marked by their status.", false, "implement a list of invoices", "GET /invoices")
	fact("invoices", "Invoice numbers have no gaps", "The numbers of invoices are assigned on posting, so that there are no gaps.", false, "post an entry to the ledger")
	fact("deploys", "Never deploy on Fridays", "Nobody is there to roll back at the weekend, so nothing is deployed on a Friday.", false, "deploy to production")
	musttest.Do(t, a.Store.Ingest(t.Context(), batch))
	const task = "Implement GET /invoices in api/invoices.go: a list of invoices with paging, as JSON."
	full := func(text string) string { return "“" + text + "”" }
	a.Sessions.ExpectSubagent("s2", "general-purpose", task)
	text := daemontest.Recalled(t, a, daemonapi.RecallParams{Purpose: daemonapi.ForSubagent, Session: "s2", Text: "general-purpose", Subagent: "a1"})
	for part, is := range map[string]bool{
		full(batch.Memories[0].Content): true, full(batch.Memories[1].Content): true,
		batch.Memories[2].Title: false, batch.Memories[2].Content: false, batch.Memories[3].Title: false,
	} {
		if strings.Contains(text, part) != is {
			t.Errorf("%q is there: %v, want %v:\n%s", part, !is, is, text)
		}
	}
}
