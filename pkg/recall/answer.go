package recall

import (
	"math"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/prompt"
)

// verdict says whether the best candidates answer the query.
type verdict struct {
	answers      bool
	byEmbedding  bool    // the words alone give no answer, the embeddings do
	best, chance float64 // highest surprise, and the threshold for an unasked query
}

func (r *ranking) judge(best []scoredCandidate) verdict {
	var v verdict
	best = best[:min(len(best), answersChecked)]
	has := func(is func(s *scoredCandidate) bool) bool {
		return slices.ContainsFunc(best, func(s scoredCandidate) bool { return is(&s) })
	}
	isStrong := func(s *scoredCandidate) bool { return s.strong }
	isInside := func(s *scoredCandidate) bool { return s.inside }
	switch {
	case !r.q.Unasked:
		v.answers = has(func(s *scoredCandidate) bool { return s.shared > 0 || s.strong || s.inside })
	case r.q.Text == "":
		v.answers = has(isStrong)
	case !r.q.Task && prompt.NeedsNothing(r.q.Text):
		v.answers = false
	case r.topics <= 1:
		v.answers = has(isInside)
	case r.namesSpeaker():
		v.answers = len(best) > 0
	default:
		c := r.index.chance.Load()
		if c == nil {
			c = &uncalibrated
		}
		v.best, v.chance = r.surprises(best, c.known), c.of(r.topics)+r.w.Chance
		if r.covered(best) >= r.w.Cover || r.named(best) {
			v.best += shortBonus
		}
		v.answers = v.best > v.chance
	}
	return v
}

// shortBonus is added to the surprise of a memory that covers most of a short question,
// or has a rare identifier of a short prompt. A prompt is short that has at most
// shortTopics words; a question that is covered has at least coverLeast.
const (
	shortBonus  = 5
	coverLeast  = 3
	shortTopics = 12
)

// covered is the largest share of a question, weighted by inverse document frequency,
// that one of the best candidates contains; 0 for other prompts. Surprise alone ignores
// the query words that no memory contains.
func (r *ranking) covered(best []scoredCandidate) float64 {
	if !r.asked.question || r.topics < coverLeast || r.topics > shortTopics {
		return 0
	}
	most := 0.0
	for i := range best {
		most = max(most, best[i].rarity)
	}
	return most / max(r.topicRarity(), 1)
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

// named says whether one of the best candidates has an identifier or path of a short
// prompt that few memories have. Prompts of other projects name others, so sharing one
// is a better sign than surprise, which takes it for any rare word.
func (r *ranking) named(best []scoredCandidate) bool {
	if r.topics > shortTopics {
		return false
	}
	most := r.w.Identifier * float64(max(len(r.index.slots), fewest))
	for i := range r.terms {
		p := r.terms[i].posting
		if !r.terms[i].identifier || float64(len(p)) > most {
			continue
		}
		if slices.ContainsFunc(best, func(s scoredCandidate) bool { _, has := p.find(s.slot); return has }) {
			return true
		}
	}
	return false
}

// namesSpeaker says whether the query names a speaker of many memories. Such a query is
// about someone's statements.
func (r *ranking) namesSpeaker() bool {
	const part = 10
	return slices.ContainsFunc(r.asked.names, func(name string) bool {
		p := r.index.terms[labelPrefix+name]
		return p != nil && part*len(p) >= len(r.index.slots)
	})
}

// present makes hits of the sorted candidates.
func (r *ranking) present(best []scoredCandidate) []Hit {
	hits := make([]Hit, 0, min(r.q.Limit, len(best)))
	r.arrange(best, func(s *scoredCandidate, place int, o omission) bool {
		if place > 0 {
			d := &r.index.docs[s.slot]
			hit := Hit{Memory: d.entry.Memory, Score: s.score, Share: r.share(s)}
			if r.q.Explain {
				hit.Why = r.why(s, d)
			}
			hits = append(hits, hit)
		}
		return len(hits) < r.q.Limit
	})
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

// omission is why a candidate is not a hit.
type omission struct {
	superseded  bool // and nobody asked for it
	belowFloor  bool
	saidBy      *Entry // the hit that says the same
	beyondLimit bool
}

// arrange visits the sorted candidates until visit returns false. It passes each one's
// rank among the hits, from 1, or 0 and the reason why it is not a hit. Memories of the
// same text are shown once.
func (r *ranking) arrange(best []scoredCandidate, visit func(s *scoredCandidate, place int, o omission) (goOn bool)) {
	shown := map[uint64]*Entry{}
	floor := 0.0
	for i := range best {
		floor = max(floor, r.w.Floor*best[i].score)
	}
	for i := range best {
		s := &best[i]
		d := &r.index.docs[s.slot]
		o := omission{
			superseded: r.q.Unasked && s.successor > 0, belowFloor: r.q.Unasked && s.score < floor, saidBy: shown[d.content], beyondLimit: len(shown) >= r.q.Limit,
		}
		place := 0
		if o == (omission{}) {
			shown[d.content] = d.entry
			place = len(shown)
		}
		if !visit(s, place, o) {
			return
		}
	}
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
	if !r.q.ByScore {
		saidFirst := func(some []scoredCandidate) {
			slices.SortStableFunc(some, func(a, b scoredCandidate) int { return r.hearsay(&a) - r.hearsay(&b) })
		}
		// A weak statement does not push a strong report out of the answer.
		saidFirst(best[:min(r.q.Limit, len(best))])
		saidFirst(best[min(r.q.Limit, len(best)):])
	}
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
