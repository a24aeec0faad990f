package recall

import (
	"math"
	"slices"
)

// coverageExponent is how much the share of the query that is covered counts
// against the score. It was calibrated together with MinFit and Unknown.
var CE = 0.25

// judged is how many of the best candidates can make an answer.
const judged = 5

// answers says whether the best candidates are about the query at all.
func (r *ranking) answers(best []scored) bool {
	isKnown := slices.ContainsFunc(r.asked.names, func(name string) bool { return r.index.terms[labelPrefix+name] != nil })
	needed := r.w.MinFit * r.rarest * (1 + r.w.Unknown*float64(r.unknown)/float64(max(r.topics, 1)))
	for i := range best[:min(len(best), judged)] {
		s := &best[i]
		fit := s.direct * math.Pow(min(s.covered/max(r.total, math.SmallestNonzeroFloat64), 1), CE)
		needed := needed
		if s.matched < 2 {
			needed *= r.w.Alone
		}
		switch {
		case s.strong, isKnown:
			return true
		case s.inside && (r.topics <= 1 || s.covered > 0):
			return true
		case r.topics > 1 && s.rare > 0 && fit >= needed:
			return true
		}
	}
	return false
}

// present makes hits of the sorted candidates. What was noted twice in the same
// words is shown once.
func (r *ranking) present(best []scored) []Hit {
	best = r.succeed(best)
	hits := make([]Hit, 0, min(r.q.Limit, len(best)))
	var shown []uint64
	for i := range best {
		s := &best[i]
		if len(hits) == r.q.Limit || s.score < r.w.Floor*best[0].score {
			break
		}
		d := &r.index.docs[s.slot]
		if slices.Contains(shown, d.content) {
			continue
		}
		shown = append(shown, d.content)
		hit := Hit{Memory: d.entry.Memory, Score: s.score}
		if r.q.Explain {
			hit.Why = r.why(s, d)
		}
		hits = append(hits, hit)
	}
	return hits
}

// maxChain bounds how many times over a memory is followed to what superseded it;
// in a circle there is no end.
const maxChain = 16

// succeed puts what superseded a candidate before it, and brings it in where it
// does not have the query's words itself.
func (r *ranking) succeed(best []scored) []scored {
	places := map[string]int{}
	for i := range best {
		places[r.id(&best[i])] = i
	}
	for i := 0; i < len(best); i++ { // grows while successors are brought in
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
		if at != i {
			best[i].successor = at + 1
		}
	}
	final := make([]float64, len(best))
	for i := range best {
		inherit(best, i)
	}
	for i := range best {
		final[i] = finalScore(best, i, r.w.Superseded, maxChain)
	}
	for i := range best {
		best[i].score = final[i]
	}
	slices.SortFunc(best, r.compare)
	return best
}

// successor is a memory that superseded a candidate without being one, unless
// the query excludes it.
func (r *ranking) successor(id string) (scored, bool) {
	slot, known := r.index.slots[id]
	if !known {
		return scored{}, false
	}
	s := scored{candidate: candidate{slot: slot}}
	if !r.wants(slot) {
		return s, false
	}
	r.weigh(&s)
	return s, true
}

// inherit gives all that superseded a candidate, directly or not, its score.
func inherit(best []scored, i int) {
	score := best[i].score
	for range maxChain {
		if best[i].successor == 0 {
			return
		}
		i = best[i].successor - 1
		best[i].inherited = max(best[i].inherited, score)
	}
}

// finalScore lowers a superseded candidate below its successor.
func finalScore(best []scored, i int, penalty float64, steps int) float64 {
	s := &best[i]
	score := max(s.score, s.inherited)
	if s.successor == 0 || steps == 0 {
		return score
	}
	above := finalScore(best, s.successor-1, penalty, steps-1)
	return min(score*penalty, math.Nextafter(above, math.Inf(-1)))
}

// why lists what made a score.
func (r *ranking) why(s *scored, d *doc) []Part {
	strong, recent, same := r.lifts(d)
	parts := []Part{
		{"own words", s.own},
		{"neighbours", s.context},
		{"session", s.session},
		{"exact", s.exact},
		{"proximity", s.proximity},
		{"form", s.form},
		{"time", s.time},
		{"what it superseded", max(s.inherited-s.base*s.factor, 0)},
	}
	parts = slices.DeleteFunc(parts, func(p Part) bool { return p.Value == 0 })
	factors := []Part{
		{"x scope", r.w.scope(d.entry.Memory.Scope)},
		{"x status", r.w.status(d.entry.Memory.Status)},
		{"x strength", 1 + strong},
		{"x recency", 1 + recent},
		{"x same session", 1 + same},
		{"x other time", r.timeFactor(s, d)},
	}
	if s.successor > 0 {
		factors = append(factors, Part{"x superseded", r.w.Superseded})
	}
	return append(parts, slices.DeleteFunc(factors, func(p Part) bool { return p.Value == 1 })...)
}
