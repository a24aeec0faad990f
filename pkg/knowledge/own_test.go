package knowledge_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
)

func TestWrittenIsNeitherPastedNorQuoted(t *testing.T) {
	for prompt, want := range map[string]string{
		"staging moved to 6544.\nAdapt the scripts":                       "staging moved to 6544. Adapt the scripts",
		"Max wrote:\n\n> staging moved to 6544":                           "Max wrote:",
		"see this:\n```\nstaging moved to 6544\n```":                      "see this:",
		"<task-notification>staging moved to 6544</task-notification>":    "",
		"Implement the following plan:\n\nstaging moves to 6544, so wait": "",
		"/deploy staging moved to 6544":                                   "staging moved to 6544",
	} {
		if got := knowledge.Written(prompt); got != want {
			t.Errorf("of %q written is %q, want %q", prompt, got, want)
		}
	}
}
