package intake_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Where the user keeps only what he asks for, nothing else becomes a memory, whatever came: prompts and events are there all the same, and
// what was kept before stays.
func TestOnlyWhatWasAskedForBecomesAMemory(t *testing.T) {
	const said, asked, quote = "we must never round prices in the shop", "the staging port is 6543", "please store that the shop has no coupons"
	a, store, s := daemontest.New(t)
	only := false
	a.OnlyAsked = func() bool { return only }
	a.Rebuild()
	daemontest.Put(t, s, daemontest.Prompt(1, "we must always name the ticket"))
	daemontest.Ingested(t, a)
	only = true
	failed, worked, edit := daemontest.Failed(4, "npm install"), daemontest.Event(5, memory.EventCommandSucceeded), daemontest.Edit(6, "s1", "a.go")
	worked.Command = "npm install --legacy-peer-deps"
	fact := memory.DistilledFact{Text: "Prices are never rounded.", Kind: memory.KindConvention, Called: memory.KindConvention, Quotes: []string{said}, At: daemontest.Noon, ByUser: true}
	distilled := daemontest.Event(9, memory.EventDistilled)
	distilled.Distilled = &memory.Distilled{Part: "1", Model: "m", Facts: []memory.DistilledFact{fact}}
	ended := daemontest.Event(8, memory.EventSessionEnded)
	daemontest.Put(t, s, daemontest.Prompt(2, said), daemontest.Prompt(3, "Remember: "+asked), failed, worked, edit, daemontest.Prompt(7, quote), ended, distilled,
		daemontest.ImportedNote(1, "brought from elsewhere"), daemontest.Noted(9, "typed on the command line"))
	daemontest.Ingested(t, a)
	byModel := daemontest.Stored(10, "The shop has no coupons.")
	daemontest.Put(t, s, byModel)
	if _, err := a.Intake.IngestOne(t.Context(), byModel); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("what a model stores without words of the user: %v", err)
	}
	invented := daemontest.Stored(11, "The shop has vouchers.")
	invented.Quote = "please store that the shop has vouchers"
	daemontest.Kept(t, a, invented)
	byModel = daemontest.Stored(12, "The shop has no coupons at all.")
	byModel.Quote = quote
	daemontest.Kept(t, a, byModel)
	all := musttest.Get(memory.Memories(t.Context(), store, memory.Filter{Project: "p", Limit: 100, Statuses: []memory.Status{memory.StatusActive}}))(t)
	var kept []string
	for _, m := range all {
		kept = append(kept, m.Content)
	}
	slices.Sort(kept)
	want := []string{"The shop has no coupons at all.", "brought from elsewhere", asked, "typed on the command line", "we must always name the ticket"}
	if !slices.Equal(kept, want) {
		t.Errorf("kept are %q, want %q", kept, want)
	}
	record, err := memory.RecordOf(t.Context(), store, "s1")
	if err != nil || len(record.Prompts) != 4 || len(record.SessionEvents) < 3 {
		t.Errorf("the session has %d prompts and %d events, %v", len(record.Prompts), len(record.SessionEvents), err)
	}
	if hits, err := a.Answers.Find(t.Context(), daemonapi.FindParams{Project: "p", Text: "round prices", Limit: 5}); err != nil || len(hits) == 0 {
		t.Errorf("what was said in passing is found by its words: %v, %v", hits, err)
	}
	id := memory.NewID(memory.ScopeProject, "p", asked)
	away := memory.Change{ID: memory.NewEventID(daemontest.Noon), At: daemontest.Noon, By: memory.ByPerson, Status: memory.StatusArchived, Reason: "it moved"}
	musttest.Get(a.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: id, Change: away}))(t)
	daemontest.Put(t, s, daemontest.Stored(13, asked))
	daemontest.Ingested(t, a)
	if row := daemontest.RowOf(t, a, id); row.Memory.Status != memory.StatusArchived {
		t.Errorf("a model brings back what a person archived: it is %s", row.Memory.Status)
	}
}
