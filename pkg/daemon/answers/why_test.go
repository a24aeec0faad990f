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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

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

// In a project of which a model has written facts the answer to a prompt is made of these, and
// so is its explanation.
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
