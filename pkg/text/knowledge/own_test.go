package knowledge_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
)

func TestWrittenIsNeitherPastedNorQuoted(t *testing.T) {
	for prompt, want := range map[string]string{
		"staging moved to 6544.\nAdapt the scripts":                       "staging moved to 6544. Adapt the scripts",
		"Max wrote:\n\n> staging moved to 6544":                           "Max wrote:",
		"see this:\n```\nstaging moved to 6544\n```":                      "see this:",
		"<task-notification>staging moved to 6544</task-notification>":    "",
		"Implement the following plan:\n\nstaging moves to 6544, so wait": "",
		"/deploy staging moved to 6544":                                   "staging moved to 6544",
		"see <task-notification> in a.go\nstaging moved to 6544":          "see <task-notification> in a.go staging moved to 6544",
		"it sent <task-notification>staging\nmoved</task-notification>":   "",
	} {
		if got := knowledge.Written(prompt); got != want {
			t.Errorf("of %q written is %q, want %q", prompt, got, want)
		}
	}
}

func TestQuotesAreWordsOfTheText(t *testing.T) {
	const text = "ok, we never push to main; staging is on 6544"
	for passage, want := range map[string]bool{
		"never push to main": true, "Never  push\nto MAIN": true, "“staging is on 6544.”": true, "": false, "m": false, "main": false,
		"never push main": false, "staging is on 5433": false, text + " and more": false,
	} {
		if got := knowledge.Quotes(text, passage); got != want {
			t.Errorf("it has %q: %t", passage, got)
		}
	}
	for passage, want := range map[string]bool{
		"Never push to main; staging is on 6544, by decree": true, "push to main, staging is on 6544": false, "never push, staging is on 5433": false,
	} {
		if got := knowledge.Agrees(passage, text); got != want {
			t.Errorf("%q keeps it: %t", passage, got)
		}
	}
}
