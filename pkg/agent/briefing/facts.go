package briefing

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/facts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/shell"
)

// RecallLimit bounds the hits to pack: more than fit into any budget.
const RecallLimit = 40

// mostFactsOfTool bounds the facts that one use of a tool is told: a tool is used often,
// and each is told once.
const mostFactsOfTool = 2

// factsFor are the facts to tell for the next action, the best first.
func factsFor(index *facts.Index, q recall.Query) []memory.Memory {
	var hits []facts.Hit
	switch {
	case q.Text != "":
		hits = index.Prompt(q.Text, q.Task, RecallLimit)
	case len(q.Files) > 0:
		hits = index.File(q.Files[0], q.NewFiles, mostFactsOfTool)
	case q.Command != "":
		hits = index.Command(func(cue string) bool { return q.Runs(shell.Core(cue)) }, mostFactsOfTool)
	}
	found := make([]memory.Memory, len(hits))
	for i, hit := range hits {
		found[i] = hit.Memory
	}
	return found
}
