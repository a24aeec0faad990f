package answers_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
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
		why := musttest.Get(a.Answers.Why(t.Context(), daemonapi.WhyParams{Project: "p", Text: prompt}))(t)
		given := musttest.Get(a.Briefing.Recall(t.Context(), daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Project: "p", Session: "of " + prompt, Text: prompt, TokenBudget: 400, MaxLines: 5}))(t)
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
