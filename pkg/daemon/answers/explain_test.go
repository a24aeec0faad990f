package answers_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Strength is the one that maintenance decides by: it counts active days, by the configured rules.
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
	if hit == nil || hit.Rank != 0 || hit.Score <= 0 || !strings.Contains(hit.Why, "the session was already shown it") || !hit.Silent {
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
	musttest.Is(t, memory.ErrNotFound, musttest.Err(a.Answers.Explain(t.Context(), daemonapi.ExplainParams{Project: "q", ID: port.ID})), "of another project")
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

// factsOf puts facts into the store of project p as a model would have written them.
func factsOf(t *testing.T, a *daemontest.Fixture, facts ...memory.Memory) {
	t.Helper()
	for i, m := range facts {
		m.Project, m.Scope, m.Type, m.Status, m.Source = "p", memory.ScopeProject, memory.TypeSemantic, memory.StatusActive, memory.SourceAssistant
		m.ID, m.Title, m.Kind, m.Tags = memory.NewID(m.Scope, m.Project, m.Content), memory.TitleOf(m.Content), memory.KindDiscovery, []string{memory.TagModel}
		m.Importance, m.CreatedAt, m.LastSeenAt = memory.FactImportance(2), daemontest.Noon, daemontest.Noon
		facts[i] = m
	}
	musttest.Do(t, a.Store.Ingest(t.Context(), memory.Batch{Memories: facts}))
	a.Rebuild()
}

// In a project of which a model has written facts the answer to a prompt is made of these, and so is its explanation.
func TestWhyAsksTheFacts(t *testing.T) {
	a, _, _ := daemontest.New(t)
	a.Config.Hooks.SessionStartTokens = 0
	factsOf(t, a, memory.Memory{Content: "Payments are never retried by the shop, because the bank does.", Cues: []string{"card was charged twice"}},
		memory.Memory{Content: "The seat map shows one deck at a time.", Cues: []string{"small screens"}})
	const prompt = "why was the card of a customer charged twice?"
	why, err := a.Answers.Why(t.Context(), daemonapi.WhyParams{Project: "p", Text: prompt})
	if err != nil || len(why.Injected) != 1 || why.Silent || !strings.Contains(why.Injected[0].Memory.Content, "never retried") {
		t.Fatalf("%+v, %v", why, err)
	}
	e, err := a.Answers.Explain(t.Context(), daemonapi.ExplainParams{Project: "p", ID: why.Injected[0].Memory.ID, Text: prompt})
	if err != nil || e.Query.Rank != 1 || e.Query.Why != why.Injected[0].Why || e.Query.Score != why.Injected[0].Score {
		t.Errorf("explained as %+v, %v, and why is %+v", e.Query, err, why.Injected[0])
	}
}

// TestTheDashboardShowsTheInjectionOfTheHook: for any store and prompt, why and explain show the
// memories injected into a new session after its start.
func TestTheDashboardShowsTheInjectionOfTheHook(t *testing.T) {
	line := regexp.MustCompile(`(?m)^- \[([0-9a-f]+)`)
	words := strings.Fields("export guests account session join query table invoice refund retry payment tests import slow index rebuild `make test` never port 6543 fails")
	text := func(label string, most int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 2, most).Draw(t, label), " ")
		})
	}
	given := map[bool]int{} // so that the test is known to test something
	rapid.Check(t, func(rt *rapid.T) {
		a, _, _ := daemontest.Drawn(t, rt)
		a.Config.Hooks.SessionStartTokens = rapid.SampledFrom([]int{0, 0, 60, 300, 2000}).Draw(rt, "start")
		a.Config.Hooks.PromptTokens = rapid.SampledFrom([]int{0, 60, 400, 400, 400}).Draw(rt, "budget")
		a.Config.Hooks.PromptLines = rapid.SampledFrom([]int{0, 1, 3, 3, 4}).Draw(rt, "lines")
		var b memory.Batch
		for i := range rapid.IntRange(0, 12).Draw(rt, "memories") {
			m := memory.Memory{
				Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Status: memory.StatusActive, Session: "old",
				Kind:    rapid.SampledFrom([]memory.Kind{memory.KindConvention, memory.KindCorrection, memory.KindNote, memory.KindFix, memory.KindDiscovery}).Draw(rt, "kind"),
				Source:  rapid.SampledFrom([]memory.Source{memory.SourceUser, memory.SourceAssistant, memory.SourceTool}).Draw(rt, "source"),
				Content: fmt.Sprintf("%s %d", text("content", 6).Draw(rt, "content"), i), Command: "make test", Importance: 0.65,
				CreatedAt: daemontest.Noon, LastSeenAt: daemontest.Noon.Add(time.Duration(i) * time.Minute),
			}
			if rapid.IntRange(0, 3).Draw(rt, "isFact") > 0 {
				m.Source, m.Tags, m.Title = memory.SourceAssistant, []string{memory.TagModel}, memory.TitleOf(m.Content)
				m.Cues = rapid.SliceOfN(text("cue", 6), 0, 3).Draw(rt, "cues")
			}
			m.ID = memory.NewID(m.Scope, m.Project, m.Content)
			b.Memories = append(b.Memories, m)
			if m.Source == memory.SourceUser && rapid.Bool().Draw(rt, "isRequested") {
				b.UserWritten = append(b.UserWritten, m.ID)
			}
		}
		musttest.Do(rt, a.Store.Ingest(t.Context(), b))
		a.Rebuild()
		_, _ = a.Briefing.Index(t.Context(), "p")
		topic := text("prompt", 8).Draw(rt, "prompt")
		if len(b.Memories) > 0 && rapid.IntRange(0, 3).Draw(rt, "isAboutOne") > 0 { // few others are given anything
			one := rapid.SampledFrom(b.Memories).Draw(rt, "one")
			topic = rapid.SampledFrom(append([]string{one.Content}, one.Cues...)).Draw(rt, "about")
		}
		prompt := rapid.SampledFrom([]string{"", "why does ", "can you add a test for ", "no, "}).Draw(rt, "opening") + topic + rapid.SampledFrom([]string{"", "?"}).Draw(rt, "end")
		why := musttest.Get(a.Answers.Why(t.Context(), daemonapi.WhyParams{Project: "p", Text: prompt}))(rt)
		hooks := a.Config.Hooks
		musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: "new", Source: "startup", TokenBudget: hooks.SessionStartTokens}))(rt)
		answer := musttest.Get(a.Briefing.Recall(t.Context(), daemonapi.RecallParams{
			Purpose: daemonapi.ForPrompt, Project: "p", Session: "new", Text: prompt,
			TokenBudget: hooks.PromptTokens, MaxLines: hooks.PromptLines, Hint: true,
		}))(rt)
		var shown, injected []string
		for _, hit := range why.Injected {
			shown = append(shown, hit.Memory.ID[:6])
		}
		for _, found := range line.FindAllStringSubmatch(answer.Text, -1) {
			injected = append(injected, found[1][:6])
		}
		if diff := cmp.Diff(injected, shown); diff != "" || why.Silent != (answer.Items == 0) {
			rt.Errorf("%q: silent %v (-injected +shown by why)\n%s\n%s", prompt, why.Silent, diff, answer.Text)
		}
		for _, hit := range slices.Concat(why.Injected, why.Skipped) {
			if hit.Why == "" {
				rt.Errorf("%q: %q has no reason", prompt, hit.Memory.Content)
			}
		}
		given[len(shown) > 0]++
		for _, m := range b.Memories {
			e := musttest.Get(a.Answers.Explain(t.Context(), daemonapi.ExplainParams{Project: "p", ID: m.ID, Text: prompt}))(rt)
			if at := slices.Index(shown, m.ID[:6]); e.Query.Rank != at+1 || e.Query.Why == "" || e.Query.Silent != why.Silent {
				rt.Errorf("%q: %s is shown at %d, and explained as %+v", prompt, m.Content, at, e.Query)
			}
		}
	})
	t.Logf("given something %d times, nothing %d times", given[true], given[false])
	if drawn := given[true] + given[false]; drawn >= 100 && (given[true] == 0 || given[false] == 0) {
		t.Errorf("the prompts were given something or nothing: %v", given)
	}
}
