package answers_test

import (
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/agenttest"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// TestRuleMemoriesAreReviewed: requested memories are not in the queue, judged ones leave it, and the
// verdicts are counted by the rule that extracted the memory.
func TestRuleMemoriesAreReviewed(t *testing.T) {
	a, _, _ := agenttest.New(t)
	agenttest.Kept(t, a, agenttest.Noted(1, "the port is 6543"))
	agenttest.Ingested(t, a, agenttest.Prompt(2, "Always run make check before you commit anything."), agenttest.Prompt(3, "Never use float64 for money in this project."))
	review := func() agentapi.ReviewResult {
		t.Helper()
		result, err := a.Answers.Review(t.Context(), agentapi.OfProject{Project: "p", Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	texts := func(r agentapi.ReviewResult) []string {
		var all []string
		for _, item := range r.Items {
			all = append(all, item.Memory.Content)
		}
		return all
	}
	first := review()
	if diff := cmp.Diff([]string{"Never use float64 for money in this project.", "Always run make check before you commit anything."}, texts(first)); diff != "" {
		t.Fatal(diff)
	}
	if first.Items[0].Rule == "" || len(first.Rules) != 0 {
		t.Errorf("the queue is %+v", first)
	}
	judge := func(id string, c memory.Change) {
		t.Helper()
		c.ID, c.At, c.By = memory.NewEventID(agenttest.Noon), agenttest.Noon, memory.ByDashboard
		if _, err := a.Intake.Amend(t.Context(), agentapi.AmendParams{Project: "p", ID: id, Change: c}); err != nil {
			t.Fatal(err)
		}
	}
	judge(first.Items[0].Memory.ID, memory.Change{AddTags: []string{memory.TagConfirmed}})
	judge(first.Items[1].Memory.ID, memory.Change{Status: memory.StatusArchived, AddTags: []string{memory.TagRejected}})
	second := review()
	confirmed, away := 0, 0
	for _, rule := range second.Rules {
		confirmed, away = confirmed+rule.Confirmed, away+rule.Rejected
	}
	if len(second.Items) != 0 || confirmed != 1 || away != 1 {
		t.Errorf("judged, the queue is %+v", second)
	}
}

// TestRequestedMemoriesAreNotReviewed, though a rule would have kept its words, too: it is in
// no queue, and a verdict on it is none on the rule.
func TestRequestedMemoriesAreNotReviewed(t *testing.T) {
	a, _, _ := agenttest.New(t)
	agenttest.Ingested(t, a, agenttest.Prompt(1, "Remember: Always tie the boat to the pier."), agenttest.Prompt(2, "Always check the anchor before every departure."))
	asked := agenttest.Noted(3, "Never use float64 for money in this project.")
	away := memory.Change{ID: memory.NewEventID(agenttest.Noon), At: agenttest.Noon, By: memory.ByPerson, Status: memory.StatusArchived, AddTags: []string{memory.TagRejected}}
	if _, err := a.Intake.Amend(t.Context(), agentapi.AmendParams{Project: "p", ID: agenttest.Kept(t, a, asked).ID, Change: away}); err != nil {
		t.Fatal(err)
	}
	review, err := a.Answers.Review(t.Context(), agentapi.OfProject{Project: "p", Limit: 10})
	if err != nil || len(review.Items) != 1 || !strings.Contains(review.Items[0].Memory.Content, "anchor") || len(review.Rules) != 0 {
		t.Errorf("%+v, %v", review, err)
	}
}

// TestAVerdictTeachesItsRule: once most memories of a rule were rejected, its next ones weigh less, in
// every project; earlier memories, those of another rule and requested ones do not. After an
// undo, they weigh as before.
func TestAVerdictTeachesItsRule(t *testing.T) {
	a, _, _ := agenttest.New(t)
	importance := func(content string) float64 {
		t.Helper()
		all, err := memory.Memories(t.Context(), a.Store, memory.Filter{Project: "p", Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			if m.Content == content {
				return m.Importance
			}
		}
		t.Fatalf("%q was not kept", content)
		return 0
	}
	agenttest.Ingested(t, a, agenttest.Prompt(0, "Remember: Always tie the boat to the pier."))
	var runs []string
	for i, text := range []string{"anchor", "rudder", "engine", "radio", "ladder"} {
		agenttest.Ingested(t, a, agenttest.Prompt(2*i+1, "Always check the "+text+" before every departure."))
		review, err := a.Answers.Review(t.Context(), agentapi.OfProject{Project: "p", Limit: 10})
		if err != nil || len(review.Items) == 0 || !strings.Contains(review.Items[0].Memory.Content, text) {
			t.Fatalf("%+v, %v", review, err)
		}
		c := memory.Change{ID: memory.NewEventID(agenttest.Noon), At: agenttest.Noon, By: memory.ByDashboard, Status: memory.StatusArchived, AddTags: []string{memory.TagRejected}}
		if _, err := a.Intake.Amend(t.Context(), agentapi.AmendParams{Project: "p", ID: review.Items[0].Memory.ID, Change: c}); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, c.ID)
	}
	before := importance("Always check the anchor before every departure.")
	agenttest.Ingested(t, a, agenttest.Prompt(20, "Always check the mast before every departure."), agenttest.Prompt(21, "Remember: Always close the gate after every boat."))
	review, err := a.Answers.Review(t.Context(), agentapi.OfProject{Project: "p", Limit: 10})
	if err != nil || len(review.Rules) != 1 || review.Rules[0].Rejected != 5 || review.Rules[0].Weight >= 1 {
		t.Fatalf("judged %+v, %v", review.Rules, err)
	}
	if got, want := importance("Always check the mast before every departure."), before*review.Rules[0].Weight; got != want {
		t.Errorf("the rule's next memory has importance %g, want %g of %g", got, want, before)
	}
	if was, is := importance("Always tie the boat to the pier."), importance("Always close the gate after every boat."); is != was {
		t.Errorf("a requested memory has importance %g, before it had %g", is, was)
	}
	for _, run := range runs {
		if _, err := a.Upkeep.Undo(t.Context(), agentapi.UndoParams{Run: run, Trigger: memory.ByDashboard}); err != nil {
			t.Fatal(err)
		}
	}
	agenttest.Ingested(t, a, agenttest.Prompt(30, "Always check the hull before every departure."))
	if got := importance("Always check the hull before every departure."); got != before {
		t.Errorf("undone, the rule's next memory has importance %g, want %g", got, before)
	}
}

// Memories that only the rules of an older version kept can be rejected.
func TestTheReviewShowsMemoriesOfOlderRules(t *testing.T) {
	a, _, _ := agenttest.New(t)
	const old = "don't run the tests now, the database is down"
	other, _, _ := agenttest.New(t)
	if err := a.Store.Ingest(t.Context(), memory.Batch{Memories: []memory.Memory{agenttest.Kept(t, other, agenttest.Noted(1, old))}}); err != nil {
		t.Fatal(err)
	}
	review, err := a.Answers.Review(t.Context(), agentapi.OfProject{Project: "p", Limit: 10})
	if err != nil || len(review.Items) != 1 || review.Items[0].Memory.Content != old || review.Items[0].Rule != "norm" {
		t.Errorf("%+v, %v", review, err)
	}
}

// TestWhyEqualsTheInjection, with the reasons against the memories that just missed it.
func TestWhyEqualsTheInjection(t *testing.T) {
	a, _, _ := agenttest.New(t)
	a.Config.Hooks.SessionStart.TokenBudget = 0
	a.Rebuild()
	for i, text := range []string{"the staging database listens on port 6543", "we deploy the harbour on fridays", "handlers live in internal/http", "the tide table is replaced in january"} {
		agenttest.Kept(t, a, agenttest.Noted(i+1, text))
	}
	for prompt, silent := range map[string]bool{"which port does the staging database listen on?": false, "write a poem about the wide blue sea": true} {
		why, err := a.Answers.Why(t.Context(), agentapi.WhyParams{Project: "p", Text: prompt})
		if err != nil {
			t.Fatal(err)
		}
		given, err := a.Briefing.Recall(t.Context(), agentapi.RecallParams{Purpose: agentapi.ForPrompt, Project: "p", Session: "of " + prompt, Text: prompt, TokenBudget: 400, MaxLines: 5})
		if err != nil {
			t.Fatal(err)
		}
		if why.Silent != silent || len(why.Injected) != given.Items {
			t.Errorf("%s: %+v, and recall injects %d\n%s", prompt, why, given.Items, given.Text)
		}
		for _, hit := range append(why.Injected, why.Skipped...) {
			if hit.Why == "" {
				t.Errorf("%s: %q has no reason", prompt, hit.Memory.Content)
			}
		}
	}
}

// TestWhyShowsPastInjections for that prompt, and not for the one after it.
func TestWhyShowsPastInjections(t *testing.T) {
	a, _, _ := agenttest.New(t)
	a.Config.Hooks.SessionStart.TokenBudget = 0
	a.Rebuild()
	agenttest.Kept(t, a, agenttest.Noted(1, "the staging database listens on port 6543"))
	agenttest.Kept(t, a, agenttest.Noted(2, "we deploy the harbour on fridays"))
	now := agenttest.Noon.Add(time.Hour)
	a.Now = func() time.Time { return now }
	texts := []string{"which port does the staging database listen on?", "when do we deploy the harbour?"}
	for i, text := range texts {
		e := agenttest.Prompt(3600+5*i, text)
		e.Session = "s5"
		agenttest.Ingested(t, a, e)
		now = e.At.Add(20 * time.Millisecond)
		if _, err := a.Briefing.Recall(t.Context(), agentapi.RecallParams{Purpose: agentapi.ForPrompt, Project: "p", Session: "s5", Text: text, TokenBudget: 400, MaxLines: 5}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"port 6543", "fridays"} {
		why, err := a.Answers.Why(t.Context(), agentapi.WhyParams{Project: "p", Text: texts[i], Session: "s5", At: agenttest.Noon.Add(time.Duration(3600+5*i) * time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		if len(why.Then) != 1 || !strings.Contains(why.Then[0].Content, want) {
			t.Errorf("%s: injected then %+v", texts[i], why.Then)
		}
	}
	again := agenttest.Prompt(3700, texts[0])
	again.Session = "s5"
	agenttest.Ingested(t, a, again)
	why, err := a.Answers.Why(t.Context(), agentapi.WhyParams{Project: "p", Text: texts[0], Session: "s5", At: again.At})
	if err != nil || len(why.Then) != 0 || len(why.Injected) == 0 || why.Injected[0].InjectedAt.IsZero() {
		t.Errorf("asked again, memories in the session's context count as injected then: %+v, %v", why, err)
	}
	prompts, err := a.Answers.Prompts(t.Context(), agentapi.OfProject{Project: "p", Limit: 5})
	if err != nil || len(prompts) != 3 || prompts[0].Injected != 0 || prompts[1].Injected != 1 || prompts[2].Injected != 1 || prompts[2].Text != texts[0] {
		t.Errorf("the prompts with what was injected are %+v, %v", prompts, err)
	}
	if few, err := a.Answers.Prompts(t.Context(), agentapi.OfProject{Project: "p", Limit: 1}); err != nil || len(few) != 1 || few[0].ID != prompts[0].ID {
		t.Errorf("the last prompt is %+v, %v", few, err)
	}
	for name, p := range map[string]agentapi.WhyParams{
		"typed on the page": {Project: "p"}, "another project's": {Project: "q", Session: "s5", At: now}, "another session": {Project: "p", Session: "s9", At: now},
	} {
		p.Text = texts[0]
		if why, err := a.Answers.Why(t.Context(), p); err != nil || len(why.Then) != 0 {
			t.Errorf("%s: %+v, %v", name, why.Then, err)
		}
	}
}
