package briefing

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// factsFor are the facts to tell for the next action, the best first.
func (b *Briefing) factsFor(index *index, p agentapi.RecallParams, q recall.Query) []memory.Memory {
	var found []memory.Memory
	switch {
	case q.Text != "":
		for _, hit := range index.facts.Prompt(q.Text, q.Task, recallLimit) {
			found = append(found, hit.Memory)
		}
	}
	return found
}
