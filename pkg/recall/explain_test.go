package recall_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// Each memory that shares words with a prompt has a reason why it fits, or does not.
func TestAHitExplainsWhyItFits(t *testing.T) {
	x := recall.NewIndex(recall.DefaultWeights())
	for _, m := range []memory.Memory{
		{ID: "bank", Content: "Payments are never retried by the shop.", Cues: []string{"payment timeout", "card was charged twice"}, Importance: 0.85, LastSeenAt: noon},
		{ID: "map", Content: "The seat map shows one deck at a time.", Cues: []string{"small screens"}, Importance: 0.45, LastSeenAt: noon},
		{ID: "card", Content: "The card of a guest shows the deck.", Cues: []string{"guest card"}, Importance: 0.45, LastSeenAt: noon},
		{ID: "mocks", Kind: memory.KindConvention, Source: memory.SourceUser, Content: "Tests use a real database, no mocks.", Importance: 0.85, LastSeenAt: noon},
	} {
		offer(x, m)
	}
	for prompt, want := range map[string]map[string]string{
		"why was the card charged twice?":                                                              {"bank": "the best fact scores", "card": "far below the best fact"},
		"which deck of the museum is closed on Monday":                                                 {"map": "needs more than", "card": "needs more than"},
		"which cards of the museum are shown on Monday, and which of them are closed again on Friday?": {"card": "too few of the text's words"},
		"can you add a test for the export":                                                            {"mocks": "the type of work"},
	} {
		hits := x.Explain(prompt, false, 10)
		for id, reason := range want {
			found := false
			for i, hit := range hits {
				if hit.Memory.ID != id {
					continue
				}
				found = true
				fits := reason == "the best fact scores" || reason == "the type of work"
				if !strings.Contains(hit.Why, reason) || hit.Fits != fits || fits && i > 0 {
					t.Errorf("%q, %s at place %d: %+v, want %q", prompt, id, i, hit, reason)
				}
			}
			if !found {
				t.Errorf("%q: %s is not among %+v", prompt, id, hits)
			}
		}
	}
}
