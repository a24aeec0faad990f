package facts

import (
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/prompt"
)

// Explanation says how a fact fares with a prompt.
type Explanation struct {
	Rank  int     // among the facts that share words with the prompt, from 1; 0: it shares none
	Score float64 // compares with the gate
	// Best is the score of the best fact, less if the prompt replies to the last answer.
	// Facts are told if it is above the gate and the words suffice, or if their cues name
	// the type of work.
	Best, Gate float64
	// Overlap is the number of the prompt's words that the best fact has, divided by the
	// root of the number of all; Words is the overlap that a question must exceed, and 0
	// for any other prompt.
	Overlap, Words float64
	Told           bool
	Cue            string // that the prompt has most of; empty for none
}

// Explain says how the fact with an id fares with a prompt; false if the index has none.
func (x *Index) Explain(text, id string) (e Explanation, has bool) {
	e.Told = slices.ContainsFunc(x.Prompt(text, false, x.Len()), func(h Hit) bool { return h.Memory.ID == id })
	x.mu.RLock()
	defer x.mu.RUnlock()
	slot, has := x.slots[id]
	if !has {
		return Explanation{}, false
	}
	q := x.ask(text)
	ranked := x.rank(q)
	best, least := x.best(ranked, q, prompt.IsReply(text)), x.least(text)
	e.Best, e.Gate, e.Overlap, e.Words = best.score, least.score, best.overlap, least.overlap
	e.Cue = x.nearest(&x.facts[slot], q)
	if at := slices.IndexFunc(ranked, func(s candidate) bool { return s.slot == slot }); at >= 0 {
		e.Rank, e.Score = at+1, ranked[at].score
	}
	return e, true
}

// nearest is the cue of a fact that covers most of a query.
func (x *Index) nearest(f *fact, q query) (cue string) {
	most := 0.0
	for i := range f.cues {
		if c := x.covered(&fact{cues: f.cues[i : i+1]}, q); c > most {
			most, cue = c, f.memory.Cues[i]
		}
	}
	return cue
}
