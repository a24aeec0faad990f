package recall

import (
	"math"
	"slices"
)

// answersChecked is how many of the best candidates are checked for an answer.
const answersChecked = 5

// answers says whether one of the best candidates answers the query: a question by any word
// in common, an unasked query by an exact match alone.
func (r *ranking) answers(best []scoredCandidate) bool {
	return slices.ContainsFunc(best[:min(len(best), answersChecked)], func(s scoredCandidate) bool {
		return s.strong || !r.q.Unasked && (s.shared > 0 || s.inside)
	})
}

// topicRarity is the inverse document frequency of the topic words of the query, summed.
func (r *ranking) topicRarity() float64 {
	whole := 0.0
	for _, t := range r.asked.terms {
		if t.topic {
			whole += t.weight * r.idf(r.index.terms[t.text])
		}
	}
	return whole
}

// present makes hits of the sorted candidates. Memories of the same text are shown once; an
// unasked query shows none that was superseded or that scores far below the best.
func (r *ranking) present(best []scoredCandidate) []Hit {
	hits := make([]Hit, 0, min(r.q.Limit, len(best)))
	shown := map[uint64]bool{}
	floor := 0.0
	for i := range best {
		floor = max(floor, r.w.Floor*best[i].score)
	}
	for i := range best {
		s := &best[i]
		d := &r.index.docs[s.slot]
		if len(hits) == r.q.Limit {
			break
		}
		if shown[d.content] || r.q.Unasked && (s.successor > 0 || s.score < floor) {
			continue
		}
		shown[d.content] = true
		hit := Hit{Memory: d.entry.Memory, Score: s.score, Share: r.share(s)}
		if r.q.Explain {
			hit.Why = r.why(s, d)
		}
		hits = append(hits, hit)
	}
	return hits
}

// share is Hit.Share of a candidate.
func (r *ranking) share(s *scoredCandidate) float64 {
	whole := r.topicRarity()
	switch {
	case whole == 0 || s.strong || s.inside:
		return 1
	case s.rarity == 0 && s.own > 0:
		return SynonymShare
	}
	return min(s.rarity/whole, 1)
}

// succeed puts the successor of a superseded candidate before it, and adds the
// successor if it is not a candidate itself. In a cycle of successors, the step that
// closes the cycle is ignored.
func (r *ranking) succeed(best []scoredCandidate) []scoredCandidate {
	places := map[string]int{}
	for i := range best {
		places[r.id(&best[i])] = i
	}
	for i := 0; i < len(best); i++ { // grows as successors are added
		successor := r.index.docs[best[i].slot].entry.SupersededBy
		if successor == "" {
			continue
		}
		at, in := places[successor]
		if !in {
			s, ok := r.successor(successor)
			if !ok {
				continue
			}
			at = len(best)
			places[successor] = at
			best = append(best, s)
		}
		if !leadsTo(best, at, i) {
			best[i].successor = at + 1
		}
	}
	final := make([]float64, len(best))
	for i := range best {
		inherit(best, i)
	}
	for i := range best {
		final[i] = finalScore(best, i, r.w.Superseded)
	}
	for i := range best {
		best[i].score = final[i]
	}
	slices.SortFunc(best, r.compare)
	saidFirst := func(some []scoredCandidate) {
		slices.SortStableFunc(some, func(a, b scoredCandidate) int { return r.hearsay(&a) - r.hearsay(&b) })
	}
	// A weak statement does not push a strong report out of the answer.
	saidFirst(best[:min(r.q.Limit, len(best))])
	saidFirst(best[min(r.q.Limit, len(best)):])
	return best
}

// hearsay is 1 for a memory that is only reported, which ranks behind statements, else
// 0.
func (r *ranking) hearsay(s *scoredCandidate) int {
	if r.index.docs[s.slot].entry.Memory.IsHearsay() {
		return 1
	}
	return 0
}

// successor makes a scored entry of a successor that is not a candidate, unless the
// query excludes it.
func (r *ranking) successor(id string) (scoredCandidate, bool) {
	slot, known := r.index.slots[id]
	if !known {
		return scoredCandidate{}, false
	}
	s := scoredCandidate{candidate: candidate{slot: slot}}
	if !r.wants(slot) {
		return s, false
	}
	r.weigh(&s)
	return s, true
}

// leadsTo says whether the chain of successors from one candidate reaches another, or
// both are the same.
func leadsTo(best []scoredCandidate, from, another int) bool {
	for from != another {
		if best[from].successor == 0 {
			return false
		}
		from = best[from].successor - 1
	}
	return true
}

// inherit passes the score of a candidate on to its direct and indirect successors.
func inherit(best []scoredCandidate, i int) {
	for score := best[i].score; best[i].successor > 0; {
		i = best[i].successor - 1
		best[i].inherited = max(best[i].inherited, score)
	}
}

// finalScore is the score after supersession: a superseded candidate scores below its
// successor.
func finalScore(best []scoredCandidate, i int, penalty float64) float64 {
	s := &best[i]
	score := max(s.score, s.inherited)
	if s.successor == 0 {
		return score
	}
	above := finalScore(best, s.successor-1, penalty)
	return min(score*penalty, math.Nextafter(above, math.Inf(-1)))
}

// why lists the parts of a score.
func (r *ranking) why(s *scoredCandidate, d *doc) []Part {
	parts := []Part{
		{"own words", s.own},
		{"neighbours", s.context},
		{"exact", s.exact},
		{"form", s.form},
		{"time", s.time},
		{"embedding", s.embedding},
		{"what it superseded", max(s.inherited-s.base*s.factor, 0)},
	}
	parts = slices.DeleteFunc(parts, func(p Part) bool { return p.Value == 0 })
	factors := []Part{
		{"x scope", scopeFactor(r.w, d.entry.Memory.Scope)},
		{"x status", statusFactor(d.entry.Memory.Status)},
		{"x strength", r.strong(d)},
		{"x work that goes on", r.fresh(d, &r.index.links[s.slot])},
		{"x typed by a person", r.typed(d)},
		{"x kind and importance", kindFactor(r.w, &d.entry.Memory)},
		{"x other time", r.timeFactor(s, d)},
	}
	if s.successor > 0 {
		factors = append(factors, Part{"x superseded", r.w.Superseded})
	}
	return append(parts, slices.DeleteFunc(factors, func(p Part) bool { return p.Value == 1 })...)
}
