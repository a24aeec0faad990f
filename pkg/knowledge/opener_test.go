package knowledge_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
)

func TestAStatementIsKeptWithoutItsConnectingWords(t *testing.T) {
	for prompt, want := range map[string]string{
		"and the index must be created concurrently":    "the index must be created concurrently",
		"ok, so we never log request bodies":            "we never log request bodies",
		"Great, the worker should not touch the queue":  "the worker should not touch the queue",
		"so that they don't see the id of the customer": "so that they don't see the id of the customer",
		"well known names must stay in the public file": "well known names must stay in the public file",
		"no, we removed the cache on purpose":           "no, we removed the cache on purpose",
		"but then nothing can be stale, I doubt it":     "but then nothing can be stale, I doubt it",
	} {
		found := knowledge.Statements(prompt, knowledge.Context{})
		if len(found) != 1 || found[0].Text != want {
			t.Errorf("%q: kept are %v, not %q", prompt, found, want)
		}
	}
}
