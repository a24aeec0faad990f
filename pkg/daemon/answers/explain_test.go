package answers_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Strength is the one that maintenance decides by: it counts active days, by the configured
// rules.
func TestExplainedStrengthIsMaintenances(t *testing.T) {
	a, _, _ := daemontest.New(t)
	port := daemontest.Kept(t, a, daemontest.Noted(1, "the staging database listens on port 6543"))
	strength := func() daemonapi.Explanation {
		t.Helper()
		return musttest.Get(a.Answers.Explain(t.Context(), daemonapi.ExplainParams{Project: "p", ID: port.ID}))(t)
	}
	begun := strength()
	a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 0, 30) }
	if holiday := strength(); holiday.Strength < begun.Strength/2 {
		t.Errorf("a holiday took the strength from %g to %g", begun.Strength, holiday.Strength)
	}
	if begun.ArchiveBelow != 0.1 {
		t.Errorf("by default: below %g", begun.ArchiveBelow)
	}
}

func TestExplainDescribesAMemoryAndAQuery(t *testing.T) {
	a, _, _ := daemontest.New(t)
	hooks := a.Config.Hooks // a change takes effect without a new daemon
	a.Hooks = func() config.Hooks { return hooks }
	a.Rebuild()
	port := daemontest.Kept(t, a, daemontest.Noted(1, "the staging database listens on port 6543"))
	elsewhere := daemontest.Noted(2, "labels are printed in Hamburg")
	elsewhere.Session = "s2"
	labels := daemontest.Kept(t, a, elsewhere)
	explained := func(p daemonapi.ExplainParams) daemonapi.Explanation {
		t.Helper()
		p.Project = "p"
		return musttest.Get(a.Answers.Explain(t.Context(), p))(t)
	}
	alone := explained(daemonapi.ExplainParams{ID: memory.ShortID(port.ID)})
	if alone.Query != nil || alone.Row.Memory.ID != port.ID || len(alone.History.Seen) != 1 ||
		alone.Strength <= 0 || alone.Row.Memory.TokenCount != port.TokenCount || port.TokenCount == 0 {
		t.Errorf("without a query: %+v", alone)
	}
	const text = "which port does the staging database listen on?"
	hit := explained(daemonapi.ExplainParams{ID: port.ID, Text: text}).Query
	if hit == nil || hit.Rank != 0 || hit.Score <= 0 || !strings.Contains(hit.Why, "the session has it") || !hit.Silent {
		t.Errorf("that a session starts with: %+v", hit)
	}
	hooks.SessionStartTokens = 0
	if hit = explained(daemonapi.ExplainParams{ID: port.ID, Text: text}).Query; hit.Rank != 1 || hit.Score <= 0 || !strings.Contains(hit.Why, "rare words") || hit.Silent {
		t.Errorf("the hit: %+v", hit)
	}
	if miss := explained(daemonapi.ExplainParams{ID: labels.ID, Text: text}).Query; miss.Rank != 0 || miss.Why == "" || miss.Silent {
		t.Errorf("the miss: %+v", miss)
	}
	if silent := explained(daemonapi.ExplainParams{ID: port.ID, Text: "port"}).Query; !silent.Silent || silent.Why == "" {
		t.Errorf("one word: %+v", silent)
	}
	daemontest.Changed(t, a, labels.ID, 1, memory.Change{Status: memory.StatusArchived})
	if gone := explained(daemonapi.ExplainParams{ID: labels.ID, Text: "labels printed in Hamburg"}); gone.Row.Memory.Status != memory.StatusArchived || gone.Query.Reason != daemonapi.NotActive {
		t.Errorf("archived: %+v, %+v", gone, gone.Query)
	}
	daemontest.Changed(t, a, port.ID, 2, memory.Change{Content: "The staging database listens on port 6544."})
	if old := explained(daemonapi.ExplainParams{ID: port.ID}).Start; old.Reason != daemonapi.Superseded || old.By == "" {
		t.Errorf("at a start, one whose text was edited: %+v", old)
	}
	if _, err := a.Answers.Explain(t.Context(), daemonapi.ExplainParams{Project: "q", ID: port.ID}); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("of another project: error %v, want ErrNotFound", err)
	}
}

// What is said of a memory's fate at a start is so, whatever the memories: it is given as it says, and if it is not, the reason names a
// memory on whose account it is not, or is about itself.
func TestTheFateAtAStartIsTrue(t *testing.T) {
	pairs := [][2]string{ // of which the second was said later
		{"We cache API responses", "We never cache API responses of the billing service"},
		{"The API accepts XML", "The API does not accept XML larger than 10 MB"},
		{"Run the migrations with make migrate", "Always run the migrations with make migrate"},
		{"Amounts are integer cents", "Amounts are integer cents, except in the reports"},
		{"Deploys need a ticket", "Only deploys to production need a ticket"},
		{"Tests use the fake clock", "Our tests always use the fake clock of the harness"},
	}
	for name, budget := range map[string]int{"room": 2000, "little room": 130, "no room": 0} {
		t.Run(name, func(t *testing.T) {
			a, _, _ := daemontest.New(t)
			a.Counter = daemontest.ExactCounter(t)
			a.Config.Hooks.SessionStartTokens = budget
			a.Rebuild()
			var events []memory.Event
			for _, pair := range pairs {
				for _, text := range pair {
					events = append(events, daemontest.Noted(len(events)+1, text))
				}
			}
			for i := range 12 {
				events = append(events, daemontest.Stored(len(events)+1, fmt.Sprintf("The worker number %c reads queue %[1]c of its own", 'a'+i)))
			}
			const gone, old, corrected = "this is archived at once", "the old port is in use here", "the new port is in use here"
			daemontest.Ingested(t, a, append(events, daemontest.Noted(50, gone), daemontest.Noted(51, old))...)
			id := func(text string) string { return memory.NewID(memory.ScopeProject, "p", text) }
			daemontest.Changed(t, a, id(gone), 52, memory.Change{Status: memory.StatusArchived})
			daemontest.Changed(t, a, id(old), 53, memory.Change{Content: corrected})
			all := []string{gone, old, corrected}
			for _, e := range events {
				all = append(all, e.Text)
			}
			begun := musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: "next", Source: "startup", TokenBudget: budget}))(t)
			start, reasons := begun.Text, map[string]daemonapi.Reason{}
			for _, text := range all {
				told := musttest.Get(a.Answers.Explain(t.Context(), daemonapi.ExplainParams{Project: "p", ID: id(text)}))(t)
				fate, m := told.Start, told.Row.Memory
				reasons[text] = fate.Reason
				if isGiven := strings.Contains(start, text+"\n") || strings.Contains(start, text+"”"); isGiven != (fate.Given == daemonapi.GivenInFull) {
					t.Errorf("%q is given: %v; it says %+v", text, isGiven, fate)
				}
				if (fate.Given == "") != (fate.Reason != "" && fate.Why != "") {
					t.Errorf("%q is given %q because of %q", text, fate.Given, fate.Why)
				}
				if fate.Reason == daemonapi.Repeated && (fate.By == "" || fate.By == m.ID) || fate.Reason == daemonapi.NoRoom && fate.Tokens+m.TokenCount <= budget-100 {
					t.Errorf("%q: %+v", text, fate)
				}
			}
			if reasons[gone] != daemonapi.NotActive {
				t.Errorf("an archived one is left out because of %q", reasons[gone])
			}
			if budget == 2000 {
				for _, e := range events[:4] {
					if reasons[e.Text] != "" {
						t.Errorf("%q is left out because of %q", e.Text, reasons[e.Text])
					}
				}
				if reasons[events[4].Text] != daemonapi.Repeated && reasons[events[5].Text] != daemonapi.Repeated {
					t.Error("two that say the same are both given")
				}
			}
		})
	}
}

// Whatever became of a memory, a start and a question name the reason, and the memory that stands in its place.
func TestEachReasonIsTheTrueOne(t *testing.T) {
	const text, question = "the export of guests joins on the session table", "how does the export of guests join the session table?"
	type happening func(*testing.T, *daemontest.Fixture, memory.Memory) (by string)
	archived := func(c memory.Change) happening {
		c.Status = memory.StatusArchived
		return func(t *testing.T, a *daemontest.Fixture, m memory.Memory) string {
			daemontest.Changed(t, a, m.ID, 1, c)
			return ""
		}
	}
	for name, c := range map[string]struct {
		happens happening
		reason  daemonapi.Reason
		why     string
	}{
		"archived":               {archived(memory.Change{}), daemonapi.NotActive, "it is archived"},
		"archived with a reason": {archived(memory.Change{Reason: "moved to another cluster"}), daemonapi.NotActive, "it is archived: moved to another cluster"},
		"archived, and tagged later": {func(t *testing.T, a *daemontest.Fixture, m memory.Memory) string {
			archived(memory.Change{Reason: "moved"})(t, a, m)
			daemontest.Changed(t, a, m.ID, 2, memory.Change{AddTags: []string{"x"}})
			return ""
		}, daemonapi.NotActive, "it is archived: moved"},
		"taken back": {archived(memory.Change{Reason: "you took the prompt back"}), daemonapi.NotActive, "it is archived: you took the prompt back"},
		"faded": {func(t *testing.T, a *daemontest.Fixture, _ memory.Memory) string {
			a.Now = func() time.Time { return daemontest.Noon.AddDate(3, 0, 0) }
			var active memory.Batch
			for day := range 400 {
				active.Days = append(active.Days, memory.ActiveDay{Project: "p", Day: daemontest.Noon.AddDate(0, 0, day).Format(time.DateOnly)})
			}
			musttest.Do(t, a.Store.Ingest(t.Context(), active))
			consolidated(t, a)
			return ""
		}, daemonapi.NotActive, "it is archived: strength 0"},
		"edited": {func(t *testing.T, a *daemontest.Fixture, m memory.Memory) string {
			return daemontest.Changed(t, a, m.ID, 1, memory.Change{Content: "the export of guests joins on the guest table"}).ID
		}, daemonapi.Superseded, "supersedes it"},
		"replaced by the model": {func(t *testing.T, a *daemontest.Fixture, m memory.Memory) string {
			e := daemontest.Stored(60, "the export of guests joins on the guest table")
			e.Replaces = m.ID
			return daemontest.Kept(t, a, e).ID
		}, daemonapi.Superseded, "supersedes it"},
		"merged": {func(t *testing.T, a *daemontest.Fixture, m memory.Memory) string {
			for n, same := range []string{"The export of guests joins on the session table!", "The export of the guests joins on the session table"} {
				daemontest.Kept(t, a, daemontest.Stored(60+n, same))
			}
			consolidated(t, a)
			page, err := a.Answers.List(t.Context(), daemonapi.ListParams{Project: "p", Limit: 5})
			if err != nil || len(page.Memories) != 1 || page.Memories[0].ID == m.ID {
				t.Fatalf("%+v, %v", page.Memories, err)
			}
			return page.Memories[0].ID
		}, daemonapi.NotActive, "it was merged into"},
		"a start without room": {func(t *testing.T, a *daemontest.Fixture, _ memory.Memory) string {
			a.Config.Hooks.SessionStartTokens, a.Config.Hooks.PromptTokens = 60, 10
			a.Rebuild()
			return ""
		}, daemonapi.NoRoom, "room"},
	} {
		t.Run(name, func(t *testing.T) {
			a, _, _ := daemontest.New(t)
			a.Counter = daemontest.ExactCounter(t)
			a.Rebuild()
			m := daemontest.Kept(t, a, daemontest.Stored(1, text))
			by := c.happens(t, a, m)
			told := musttest.Get(a.Answers.Explain(t.Context(), daemonapi.ExplainParams{Project: "p", ID: m.ID, Text: question}))(t)
			if s := told.Start; s.Given != "" || s.Reason != c.reason || s.By != by || !strings.Contains(s.Why, c.why) {
				t.Errorf("at a start: %+v, want %q by %q", s, c.why, by)
			}
			if q := told.Query; q.Rank != 0 || q.Reason != c.reason || q.By != by || !strings.Contains(q.Why, c.why) {
				t.Errorf("for the question: %+v, want %q by %q", q, c.why, by)
			}
		})
	}
}

func consolidated(t *testing.T, a *daemontest.Fixture) {
	t.Helper()
	musttest.Get(a.Upkeep.Consolidate(t.Context(), daemonapi.ConsolidateParams{Trigger: "manual"}))(t)
}
