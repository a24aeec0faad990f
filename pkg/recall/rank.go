package recall

import (
	"cmp"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
)

// The number of candidates that are weighed, and of those that get the costlier parts
// of the score.
const (
	mostRanked  = 400
	mostRefined = 120
)

func (r *ranking) hits() []Hit {
	best := r.best()
	best, answers := r.fuse(best, r.answers(best))
	if !answers {
		return nil
	}
	return r.present(r.succeed(best))
}

// best is the best candidates, the best first.
func (r *ranking) best() []scoredCandidate {
	r.lookUp()
	r.count()
	r.admitByTime()
	return r.refine(r.weighBest())
}

// lookUp finds the terms in the index, and the weight of each in the query.
func (r *ranking) lookUp() {
	for c := range r.average {
		r.average[c] = max(r.index.length[c]/float64(max(r.index.count[c], 1)), 1)
	}
	for _, a := range r.asked.terms {
		p := r.index.terms[a.text]
		switch {
		case p == nil && a.word:
			r.addVariants(a)
		case p != nil:
			r.addTerm(a, p)
		}
		if a.topic {
			r.topics++
		}
	}
	r.addSynonyms()
	slices.SortFunc(r.terms, func(a, b term) int {
		return cmp.Or(cmp.Compare(len(a.posting), len(b.posting)), cmp.Compare(a.text, b.text))
	})
}

func (r *ranking) addTerm(a askedTerm, p posting) {
	if a.weight > 0 {
		r.terms = append(r.terms, term{a, p, r.idf(p)})
	}
}

// surelyAlike is the likeness from which a variant counts as the word itself.
const surelyAlike = 0.8

// addVariants adds indexed words similar to an unknown word.
func (r *ranking) addVariants(a askedTerm) {
	for _, v := range r.index.words.Variants(a.text) {
		near := a
		near.text, near.weight = v.Word, a.weight*r.w.Variant*v.Alike
		near.topic = a.topic && v.Alike >= surelyAlike
		near.strong = false
		r.addTerm(near, r.index.terms[v.Word])
	}
}

// addSynonyms expands the query by synonyms of its words. A synonym of two words is
// added once; one that is itself a query word is not added.
func (r *ranking) addSynonyms() {
	taken := map[string]bool{}
	for _, a := range r.asked.terms {
		taken[a.text] = true
	}
	for _, a := range r.asked.terms {
		if !a.word {
			continue
		}
		for _, other := range english.Synonyms(a.text) {
			if p := r.index.terms[other]; p != nil && !taken[other] {
				taken[other] = true
				r.addTerm(askedTerm{text: other, weight: a.weight * r.w.Synonym, word: true}, p)
			}
		}
	}
}

// saturate is BM25's term-frequency saturation, 0 to k1+1; length is relative to the
// average.
func (r *ranking) saturate(tf, length float64) float64 {
	if tf <= 0 {
		return 0
	}
	return tf * (r.w.K1 + 1) / (tf + r.w.K1*(1-r.w.B+r.w.B*length))
}

// count adds the terms to their docs, and to the neighbours of these. A
// term that would exceed the bound on postings is left to refine; the rarest is always
// counted.
func (r *ranking) count() {
	visited := 0
	for i := range r.terms {
		t := &r.terms[i]
		visited += len(t.posting)
		switch {
		case visited > r.w.MaxPostings && i > 0:
			r.frequent = append(r.frequent, *t)
		case t.mark:
			r.countMark(t)
		default:
			r.countWord(t)
		}
	}
}

func (r *ranking) countMark(t *term) {
	gain := t.gain()
	for _, o := range t.posting {
		c := r.touch(o.slot)
		c.exact += gain
		c.note(t)
	}
}

// gain is the score of a mark: its weight times its inverse document
// frequency, except for a label, as a rare name must not outweigh the content.
func (t *term) gain() float64 {
	if t.label {
		return t.weight
	}
	return t.weight * t.idf
}

// unit is the value of a quarter while neighbours are added: sums of integers do not
// depend on the order of the docs.
const unit = 64

func (r *ranking) countWord(t *term) {
	ofNext, ofPrevious := int32(r.w.Next*unit), int32(r.w.Previous*unit)
	answer := int32(r.w.Answer * unit)
	links := r.index.links
	for _, o := range t.posting {
		count := int32(o.count)
		r.add(o.slot, count*unit, count)
		l := &links[o.slot]
		if l.isAlone() {
			continue
		}
		for slot, i := l.previous, 0; slot != none && i < around; slot, i = links[slot].previous, i+1 {
			r.add(slot, count*ofNext, 0) // for that doc, this one is the next
		}
		for slot, i := l.next, 0; slot != none && i < around; slot, i = links[slot].next, i+1 {
			share := ofPrevious
			if i == 0 && l.asks {
				share += answer
			}
			r.add(slot, count*share, 0)
		}
	}
	r.settle(t)
}

// settle turns the counts of one term into scores.
func (r *ranking) settle(t *term) {
	weight := t.weight * t.idf
	average := r.average[ofWords] * (1 + around*(r.w.Next+r.w.Previous)) // length of a context
	for _, slot := range r.counted {
		n := &r.counts[slot]
		context := float64(n.context) / (quarters * unit)
		c := r.touch(slot)
		l := &r.index.links[slot]
		if c.length == 0 {
			c.length = r.contextLength(slot)
		}
		length := float64(l.length)
		shared := r.shared(length)
		if l.isAlone() {
			shared = 0
		}
		c.context += weight * shared * r.saturate(context, c.length/average)
		if n.own > 0 {
			own := weight * (r.w.Own + r.w.Context - shared) * r.saturate(float64(n.own)/quarters, length/r.average[l.class])
			c.own += own
			c.note(t)
		}
		*n = count{}
	}
	r.counted = r.counted[:0]
}

// shared is the share of the context weight that a memory of this length keeps; the
// rest moves to its own words.
func (r *ranking) shared(length float64) float64 {
	if r.w.LongFrom == 0 || length <= r.w.LongFrom {
		return r.w.Context
	}
	return r.w.Context * r.w.LongFrom / length
}

// note records that the doc itself contains a term.
func (c *candidate) note(t *term) {
	c.strong = c.strong || t.strong
	c.shared += t.evidence
	c.rarity += t.evidence * min(t.weight, 1) * t.idf
}

// contextLength is the weighted length of a doc with its neighbours.
func (r *ranking) contextLength(slot uint32) float64 {
	links := r.index.links
	length := float64(links[slot].length)
	for s, i := links[slot].next, 0; s != none && i < around; s, i = links[s].next, i+1 {
		length += r.w.Next * float64(links[s].length)
	}
	for s, i := links[slot].previous, 0; s != none && i < around; s, i = links[s].previous, i+1 {
		length += r.w.Previous * float64(links[s].length)
	}
	return length
}

// admitByTime adds the memories from the time that the query names as candidates, and
// computes the inverse document frequency of that time.
func (r *ranking) admitByTime() {
	inside := 0
	r.index.eachDay(r.asked.spans, func(day int32) {
		for _, slot := range r.index.days[day] {
			if !overlaps(r.index.docs[slot].spans, r.asked.spans) {
				continue
			}
			if c := r.touch(slot); !c.inside {
				c.inside = true
				inside++
			}
		}
	})
	if inside > 0 {
		r.timeRarity = rarity(len(r.index.slots), inside)
	}
}

// weighBest applies the factors that do not depend on words to the candidates with the
// best words. It drops candidates that the query's kinds, or a factor of 0 for scope or
// status, exclude.
func (r *ranking) weighBest() []scoredCandidate {
	best := r.kept[:0]
	for i := range r.candidates {
		c := &r.candidates[i]
		l := &r.index.links[c.slot]
		if c.own+c.exact == 0 && !c.inside || !r.wants(c.slot) {
			continue
		}
		s := scoredCandidate{candidate: *c}
		if s.own == 0 {
			s.context = 0 // context helps only a memory with a query word of its own
		}
		if c.inside {
			s.time = r.w.Time * r.timeRarity
		}
		s.factor = float64(l.factor)
		s.sum()
		best = r.keep(best, s, max(mostRanked, 4*r.q.Limit))
	}
	r.kept = best
	for i := range best {
		r.weigh(&best[i])
	}
	return best
}

// refine adds the costlier parts of the score to the best candidates, and sorts them.
func (r *ranking) refine(best []scoredCandidate) []scoredCandidate {
	slices.SortFunc(best, r.compare)
	best = best[:min(len(best), max(mostRefined, 2*r.q.Limit))]
	most := 0.0
	for i := range best {
		most = max(most, best[i].base)
	}
	for i := range best {
		s := &best[i]
		d := &r.index.docs[s.slot]
		for j := range r.frequent {
			r.probe(s, &r.frequent[j])
		}
		if r.asked.when && d.dated {
			s.form += r.w.When * most
		}
		if r.asked.howMany && d.counts {
			s.form += r.w.Count * most
		}
		s.sum()
	}
	slices.SortFunc(best, r.compare)
	return best
}

// probe adds a term that is too frequent to be counted for all docs.
func (r *ranking) probe(s *scoredCandidate, t *term) {
	at, found := t.posting.find(s.slot)
	if !found {
		return
	}
	weight := t.weight * t.idf
	if t.mark {
		s.exact += t.gain()
		s.note(t)
		return
	}
	l := &r.index.links[s.slot]
	length := float64(l.length) / r.average[l.class]
	s.own += weight * (r.w.Own + r.w.Context) * r.saturate(float64(t.posting[at].count)/quarters, length)
	s.note(t)
}

// keep holds up to limit of the best in a heap whose root is the lowest.
func (r *ranking) keep(heap []scoredCandidate, s scoredCandidate, limit int) []scoredCandidate {
	if len(heap) < limit {
		heap = append(heap, s)
		for child := len(heap) - 1; child > 0; {
			parent := (child - 1) / 2
			if r.compare(heap[child], heap[parent]) <= 0 {
				break
			}
			heap[child], heap[parent] = heap[parent], heap[child]
			child = parent
		}
		return heap
	}
	if s.score < heap[0].score || r.compare(s, heap[0]) > 0 {
		return heap
	}
	heap[0] = s
	for parent, child := 0, 1; child < len(heap); parent, child = child, 2*child+1 {
		if child+1 < len(heap) && r.compare(heap[child+1], heap[child]) > 0 {
			child++
		}
		if r.compare(heap[child], heap[parent]) <= 0 {
			break
		}
		heap[parent], heap[child] = heap[child], heap[parent]
	}
	return heap
}
