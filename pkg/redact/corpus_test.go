package redact_test

import (
	"slices"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact/redacttest"
)

const corpusSeed = 1

// TestCorpus prints what the first pass finds of secrets, and touches of what
// only looks like one. -v names the kinds.
func TestCorpus(t *testing.T) {
	for _, set := range []string{"tuning", "checking", "later", "fourth", "fifth", "sixth", "seventh"} {
		result, err := redacttest.Measure(set, corpusSeed, func(text string) string {
			clean, _ := redact.Text(text)
			return clean
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(result)
		for _, miss := range slices.Concat(result.Missed, result.Touched) {
			t.Log(miss)
		}
	}
}
