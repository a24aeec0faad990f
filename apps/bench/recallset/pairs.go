package recallset

import "github.com/surrealdb-memory/surrealdb-memory/pkg/recall"

// Pair counts the prompts of one set that are given memories of another set. Nothing is the
// right answer.
type Pair struct {
	Prompts  string
	Memories string
	Asked    int
	Answered int
}

// leastAsked is how many prompts a set must have to be put to others.
const leastAsked = 20

// Pairs puts the queries of each set to the memories of every other, and those that
// must get no answer to its own.
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
