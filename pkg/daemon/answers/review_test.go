package answers_test

import (
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// TestWhyEqualsTheInjection, with the reasons against the memories that just missed it.
func TestWhyEqualsTheInjection(t *testing.T) {
	a, _, _ := daemontest.New(t)
	a.Config.Hooks.SessionStartTokens = 0
	a.Rebuild()
	for i, text := range []string{"the staging database listens on port 6543", "we deploy the harbour on fridays", "handlers live in internal/http", "the tide table is replaced in january"} {
		daemontest.Kept(t, a, daemontest.Noted(i+1, text))
	}
	for prompt, silent := range map[string]bool{"which port does the staging database listen on?": false, "write a poem about the wide blue sea": true} {
		why, err := a.Answers.Why(t.Context(), daemonapi.WhyParams{Project: "p", Text: prompt})
		if err != nil {
			t.Fatal(err)
		}
		given, err := a.Briefing.Recall(t.Context(), daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Project: "p", Session: "of " + prompt, Text: prompt, TokenBudget: 400, MaxLines: 5})
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
	a, _, _ := daemontest.New(t)
	a.Config.Hooks.SessionStartTokens = 0
	a.Rebuild()
	daemontest.Kept(t, a, daemontest.Noted(1, "the staging database listens on port 6543"))
	daemontest.Kept(t, a, daemontest.Noted(2, "we deploy the harbour on fridays"))
	now := daemontest.Noon.Add(time.Hour)
	a.Now = func() time.Time { return now }
	texts := []string{"which port does the staging database listen on?", "when do we deploy the harbour?"}
	for i, text := range texts {
		e := daemontest.Prompt(3600+5*i, text)
		e.Session = "s5"
		daemontest.Ingested(t, a, e)
		now = e.At.Add(20 * time.Millisecond)
		if _, err := a.Briefing.Recall(t.Context(), daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Project: "p", Session: "s5", Text: text, TokenBudget: 400, MaxLines: 5}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"port 6543", "fridays"} {
		why, err := a.Answers.Why(t.Context(), daemonapi.WhyParams{Project: "p", Text: texts[i], Session: "s5", At: daemontest.Noon.Add(time.Duration(3600+5*i) * time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		if len(why.Then) != 1 || !strings.Contains(why.Then[0].Content, want) {
			t.Errorf("%s: injected then %+v", texts[i], why.Then)
		}
	}
	again := daemontest.Prompt(3700, texts[0])
	again.Session = "s5"
	daemontest.Ingested(t, a, again)
	why, err := a.Answers.Why(t.Context(), daemonapi.WhyParams{Project: "p", Text: texts[0], Session: "s5", At: again.At})
	if err != nil || len(why.Then) != 0 || len(why.Injected) == 0 || why.Injected[0].InjectedAt.IsZero() {
		t.Errorf("asked again, memories in the session's context count as injected then: %+v, %v", why, err)
	}
	prompts, err := a.Answers.Prompts(t.Context(), daemonapi.OfProject{Project: "p", Limit: 5})
	if err != nil || len(prompts) != 3 || prompts[2].Text != texts[0] {
		t.Errorf("the prompts are %+v, %v", prompts, err)
	}
	if few, err := a.Answers.Prompts(t.Context(), daemonapi.OfProject{Project: "p", Limit: 1}); err != nil || len(few) != 1 || few[0].ID != prompts[0].ID {
		t.Errorf("the last prompt is %+v, %v", few, err)
	}
	for name, p := range map[string]daemonapi.WhyParams{
		"typed on the page": {Project: "p"}, "another project's": {Project: "q", Session: "s5", At: now}, "another session": {Project: "p", Session: "s9", At: now},
	} {
		p.Text = texts[0]
		if why, err := a.Answers.Why(t.Context(), p); err != nil || len(why.Then) != 0 {
			t.Errorf("%s: %+v, %v", name, why.Then, err)
		}
	}
}
