package facts

import (
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// Explanation says how a fact fares with a prompt.
type Explanation struct {
	Rank  int     // among the facts that share words with the prompt, from 1; 0: it shares none
	Score float64 // compares with the gate
	// Best is the score of the best fact, less if the prompt replies to what was just said.
	// Facts are told if it is above the gate, or if their cues name the type of work.
	Best, Gate float64
	Told       bool
	Cue        string // that the prompt has most of; empty for none
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
	ranked := x.rank(text)
	e.Gate, e.Cue = x.least(text), x.nearest(&x.facts[slot], x.ask(text))
	if len(ranked) > 0 {
		e.Best = x.gated(ranked[0].score, recall.IsReply(text))
	}
	if at := slices.IndexFunc(ranked, func(s scored) bool { return s.slot == slot }); at >= 0 {
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
