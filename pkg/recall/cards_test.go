package recall_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

func statement(id, text string, at time.Time) recall.Entry {
	e := note(id, text)
	e.Session, e.Memory.Source, e.Memory.LastSeenAt, e.Memory.Importance = "s-"+id, memory.SourceUser, at, 0.5
	return e
}

func card(id, text string, at time.Time) recall.Entry {
	e := statement(id, text, at)
	e.Memory.Kind, e.Memory.Source = memory.KindTurn, memory.SourceAssistant
	return e
}

// turns is an index of sessions with statements and cards of other things.
func turns(more ...recall.Entry) *recall.Index {
	x := recall.NewIndex(recall.DefaultWeights())
	for i := range 30 {
		x.Put(statement(fmt.Sprint("n", i), fmt.Sprintf("the ledger of batch %d stays closed", i), epoch.Add(-100*time.Hour)))
		x.Put(card(fmt.Sprint("t", i), fmt.Sprintf("close the ledger of batch %d -> It is closed, and the totals were moved to the archive of that month.", i), epoch.Add(-100*time.Hour)))
	}
	for _, e := range more {
		x.Put(e)
	}
	return x
}

// A card with all words of the query is not pushed out by statements with one of them,
// and ranks behind the user's statements.
func TestAStrongCardIsToldBeforeWeakStatements(t *testing.T) {
	var weak []recall.Entry
	for i := range 8 {
		weak = append(weak, statement(fmt.Sprint("w", i), fmt.Sprintf("the export of part %d needs a header", i), epoch))
	}
	x := turns(append(weak, card("card", "why is the export empty for guests? -> The query joins on the account, which guests do not have.", epoch))...)
	q := recall.Query{Text: "why is the export empty for guests without an account?", Now: epoch, Limit: 5}
	found := ids(x.Recall(q))
	if !slices.Contains(found, "card") {
		t.Errorf("found %v", found)
	}
	if at := slices.Index(found, "card"); at != len(found)-1 {
		t.Errorf("what is only reported stands at %d of %v", at, found)
	}
}

// Work goes on where it was: of two statements alike, the later counts more, unless a
// question is asked. What lies behind the newest memory has not aged.
func TestWorkGoesOnWhereItWas(t *testing.T) {
	lately, long := epoch.Add(-time.Hour), epoch.Add(-20*24*time.Hour)
	x := turns(
		card("c1", "turn -> words", lately), card("c2", "turn -> words", long),
		statement("c1b", "the importer skips broken rows", lately), statement("c2b", "the importer skips broken rows too, in a file of rows that is broken rows", long),
	)
	for id, session := range map[string]string{"c1b": "s-c1", "c2b": "s-c2"} {
		e := statement(id, map[string]string{"c1b": "the importer skips broken rows", "c2b": "the importer skips broken rows and broken files"}[id], map[string]time.Time{"c1b": lately, "c2b": long}[id])
		e.Session = session
		x.Put(e)
	}
	later := epoch.Add(300 * 24 * time.Hour)
	if found := ids(x.Recall(recall.Query{Text: "change how the importer skips broken rows and files", Now: later})); len(found) == 0 || found[0] != "c1b" {
		t.Errorf("for work: %v", found)
	}
	if found := ids(x.Recall(recall.Query{Text: "does the importer skip broken rows and files?", Now: later})); len(found) == 0 || found[0] != "c2b" {
		t.Errorf("for a question: %v", found)
	}
}

// Important statements rank before unimportant ones, and both before reports in the
// same words.
func TestImportanceAndSourceWeigh(t *testing.T) {
	firm, passing := statement("firm", "squash the commits of a branch", epoch), statement("passing", "commits of a branch squash", epoch)
	firm.Memory.Importance, passing.Memory.Importance = 0.9, 0.3
	report := statement("report", "the commits of this branch, squash", epoch)
	report.Memory.Kind, report.Memory.Source = memory.KindDiscovery, memory.SourceAssistant
	x := turns(firm, passing, report)
	if found := ids(x.Recall(recall.Query{Text: "squash commits branch", Now: epoch, Limit: 3})); !slices.Equal(found, []string{"firm", "passing", "report"}) {
		t.Errorf("found %v", found)
	}
}
