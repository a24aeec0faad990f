package recallset

import "github.com/surrealdb-memory/surrealdb-memory/pkg/recall"

// Pair counts the prompts of one set that get memories of another set. The right number is 0.
type Pair struct {
	Prompts  string
	Memories string
	Asked    int
	Answered int
}

// leastAsked is the minimum number of prompts of a set in a pair.
const leastAsked = 20

// Pairs runs each set's queries against every other set's memories, and its unanswerable queries against its own.
func Pairs(sets []Set) []Pair {
	var pairs []Pair
	for _, memories := range sets {
		offered := memories.Index(recall.DefaultWeights())
		for _, prompts := range sets {
			pair := Pair{Prompts: prompts.Name, Memories: memories.Name}
			for _, q := range prompts.Queries {
				if prompts.Name == memories.Name && (len(q.Evidence) > 0 || !q.AsOf.IsZero()) {
					continue
				}
				pair.Asked++
				if isGiven(offered, q.Text) {
					pair.Answered++
				}
			}
			if pair.Asked >= leastAsked {
				pairs = append(pairs, pair)
			}
		}
	}
	return pairs
}
