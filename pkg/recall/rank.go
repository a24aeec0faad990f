package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Query is what to find memories for. At least one of Text, Files, Command and
// Signature says something, or nothing is found.
type Query struct {
	Text    string
	Session string    // the one that asks; empty if unknown
	Now     time.Time // what "yesterday" is relative to
	// Files, Command and Signature are what the model is about to touch, run or
	// has just met, in the form in which entries carry them.
	Files     []string
	Command   string
	Signature string
	Kinds     []memory.Kind // only these; all if empty
	Limit     int           // 0 means 10
	Explain   bool          // fill Hit.Why
}

// DefaultLimit is how many hits a query gets that names no limit.
const DefaultLimit = 10

// Hit is a memory that fits. Scores only compare hits of one query.
type Hit struct {
	Memory memory.Memory `json:"memory"`
	Score  float64       `json:"score"`
	Why    []Part        `json:"why,omitempty"`
}

// Part is one reason of a score. The parts named "x ..." multiply the sum of the
// others.
type Part struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Recall ranks the memories that fit a query, the best first. It returns nothing
// when nothing fits well enough.
func (x *Index) Recall(q Query) []Hit {
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.slots) == 0 {
		return nil
	}
	s := x.borrowScratch()
	defer x.scratch.Put(s)
	defer s.reset()
	r := ranking{index: x, w: &x.weights, q: &q, scratch: s}
	return r.hits()
}

// ranking is one query at work.
type ranking struct {
	index *Index
	w     *Weights
	q     *Query
	*scratch

	asked   asked
	terms   []term // rarest first
	total   float64
	rarest  float64 // the idf of a word that is nowhere
	average float64 // length of a doc

	timeRarity float64 // idf of being of the time the query names
}

// term is a term of the query as the index knows it.
type term struct {
	askedTerm
	posting *posting
	idf     float64
	rare    bool
}

func (r *ranking) hits() []Hit {
	r.asked = ask(*r.q, r.w)
	r.lookUp(r.asked.terms)
	r.score(r.terms)
	r.admitByTime()
	best := r.best(max(refined, 4*r.q.Limit))
	r.refine(best)
	if !r.answers(best) {
		return nil
	}
	return r.present(best)
}

// refined is how many candidates get the costlier parts of the score.
const refined = 120

// lookUp finds the terms, and how much of the query each is.
func (r *ranking) lookUp(asked []askedTerm) {
	n := float64(len(r.index.slots))
	r.rarest = idf(n, 0)
	r.average = max(r.index.length/n, 1)
	rare := max(3, int(n*r.w.RareShare))
	for _, a := range asked {
		p := r.index.terms[a.text]
		df := 0
		if p != nil {
			df = len(p.docs)
		}
		t := term{askedTerm: a, posting: p, idf: idf(n, float64(df)), rare: df <= rare && a.topic}
		if a.word {
			r.total += a.weight * t.idf
		}
		if p != nil {
			t.weight *= a.exactWeight(r.w)
			r.terms = append(r.terms, t)
		} else if a.word && r.w.Variant > 0 {
			r.addVariants(a)
		}
	}
	r.addSynonyms(asked)
	for i := 1; i < len(r.asked.order); i++ {
		first, second := r.index.terms[r.asked.order[i-1]], r.index.terms[r.asked.order[i]]
		if first != nil && second != nil && first != second {
			weight := idf(n, float64(len(first.docs))) + idf(n, float64(len(second.docs)))
			r.pairs = append(r.pairs, pair{first.id, second.id, weight})
		}
	}
	slices.SortFunc(r.terms, func(a, b term) int {
		return cmp.Or(cmp.Compare(len(a.posting.docs), len(b.posting.docs)), cmp.Compare(a.text, b.text))
	})
}

// surelyAlike is how alike a variant must be to count as the word itself.
const surelyAlike = 0.8

// addVariants looks for what is nearly a word that is nowhere.
func (r *ranking) addVariants(a askedTerm) {
	for _, v := range r.index.words.variants(a.text) {
		p := r.index.terms[v.word]
		near := askedTerm{text: v.word, weight: a.weight * r.w.Variant * v.alike, word: true, topic: a.topic && v.alike >= surelyAlike}
		r.terms = append(r.terms, term{askedTerm: near, posting: p, idf: idf(float64(len(r.index.slots)), float64(len(p.docs)))})
	}
}

// addSynonyms looks for what often stands for the words of the text. A synonym
// of two of them is taken once, and one that is asked for itself not at all.
func (r *ranking) addSynonyms(asked []askedTerm) {
	if r.w.Synonym == 0 {
		return
	}
	taken := map[string]bool{}
	for _, a := range asked {
		taken[a.text] = true
	}
	for _, a := range asked {
		if !a.word {
			continue
		}
		for _, other := range related[a.text] {
			p := r.index.terms[other]
			if p == nil || taken[other] {
				continue
			}
			taken[other] = true
			r.terms = append(r.terms, term{
				askedTerm: askedTerm{text: other, weight: a.weight * r.w.Synonym, word: true},
				posting:   p, idf: idf(float64(len(r.index.slots)), float64(len(p.docs))),
			})
		}
	}
}

// idf is BM25's inverse document frequency, in the form that stays above 0.
func idf(n, df float64) float64 { return math.Log1p((n - df + 0.5) / (df + 0.5)) }

// saturate is BM25's term frequency: 0 to k1+1.
func (r *ranking) saturate(tf, length, average float64) float64 {
	if tf <= 0 {
		return 0
	}
	return tf * (r.w.K1 + 1) / (tf + r.w.K1*(1-r.w.B+r.w.B*length/average))
}

// score adds the terms to the docs that have them, and to their neighbours and
// sessions. A term that would exceed the bound on the work is left to refine.
func (r *ranking) score(terms []term) {
	visited := 0
	for i := range terms {
		t := &terms[i]
		visited += len(t.posting.docs)
		switch {
		case visited > r.w.MaxPostings && i > 0:
			r.frequent = append(r.frequent, *t)
		case t.exact != nil:
			r.scoreExact(t)
		default:
			r.scoreWord(t)
		}
	}
}

func (r *ranking) scoreExact(t *term) {
	for _, o := range t.posting.docs {
		c := r.touch(o.slot)
		c.exact += t.weight * t.idf
		c.strong = c.strong || t.strong
	}
}

// unit is what one quarter counts while neighbours are added: sums of integers
// do not depend on the order of the docs.
const unit = 64

func (r *ranking) scoreWord(t *term) {
	near := [2]int32{int32(r.w.Next * unit), int32(r.w.Next * r.w.Reach * unit)}
	far := [2]int32{int32(r.w.Previous * unit), int32(r.w.Previous * r.w.Reach * unit)}
	answer := int32(r.w.Answer * unit)
	docs := r.index.docs
	for _, o := range t.posting.docs {
		count := int32(o.count)
		r.count(o.slot, count*unit, count)
		d := &docs[o.slot]
		if d.session == nil {
			continue
		}
		r.countSession(d.session, count)
		if r.w.Context == 0 {
			continue
		}
		// Being after d is having d as previous.
		for slot, i := d.next, 0; slot != noSlot && i < 2; slot, i = docs[slot].next, i+1 {
			share := far[i]
			if i == 0 && d.asks {
				share += answer
			}
			r.count(slot, count*share, 0)
		}
		for slot, i := d.previous, 0; slot != noSlot && i < 2; slot, i = docs[slot].previous, i+1 {
			r.count(slot, count*near[i], 0)
		}
	}
	r.settle(t)
}

// settle turns the counts of one term into scores.
func (r *ranking) settle(t *term) {
	weight := t.weight * t.idf
	for _, slot := range r.counted {
		n := &r.counts[slot]
		length := float64(r.index.docs[slot].length)
		context := float64(n.context) / (quarters * unit)
		c := r.touch(slot)
		if n.own > 0 {
			c.own += weight * r.w.Own * r.saturate(float64(n.own)/quarters, length, r.average)
		}
		c.context += weight * r.w.Context * r.saturate(context, r.contextLength(slot), r.average*r.contextShare())
		if t.word {
			c.covered += weight * min(context, 1)
		}
		if n.own > 0 && t.topic {
			c.matched++
			if t.rare {
				c.rare++
			}
		}
		*n = count{}
	}
	r.counted = r.counted[:0]
	if len(r.countedSessions) == 0 {
		return
	}
	all := float64(len(r.index.sessions))
	weight = t.weight * idf(all, float64(len(r.countedSessions)))
	average := max(r.index.length/all, 1)
	for _, s := range r.countedSessions {
		r.sessionScores[s.number] += weight * r.saturate(float64(r.sessionCounts[s.number])/quarters, s.length, average)
		r.sessionCounts[s.number] = 0
		r.touchedSessions = append(r.touchedSessions, s.number)
	}
	r.countedSessions = r.countedSessions[:0]
}

func (r *ranking) contextShare() float64 { return 1 + (r.w.Next+r.w.Previous)*(1+r.w.Reach) }
func (r *ranking) contextLength(slot uint32) float64 {
	docs := r.index.docs
	length := float64(docs[slot].length)
	share := r.w.Next
	for s, i := docs[slot].next, 0; s != noSlot && i < 2; s, i = docs[s].next, i+1 {
		length += share * float64(docs[s].length)
		share *= r.w.Reach
	}
	share = r.w.Previous
	for s, i := docs[slot].previous, 0; s != noSlot && i < 2; s, i = docs[s].previous, i+1 {
		length += share * float64(docs[s].length)
		share *= r.w.Reach
	}
	return length
}

// admitByTime makes candidates of what happened in the time that the query
// names, and finds how rare that is.
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
		r.timeRarity = idf(float64(len(r.index.slots)), float64(inside))
	}
}

// candidate is a doc that has something of the query.
type candidate struct {
	slot    uint32
	own     float64
	context float64
	exact   float64
	covered float64
	matched int // words of the query that are in the memory itself
	rare    int // of these, rare ones
	strong  bool

	session   float64
	proximity float64
	form      float64 // the form the question asks for
	time      float64 // being of the time the query names
	base      float64 // the sum of the above
	factor    float64 // product of what does not depend on the words
	inside    bool    // of a time the query names
	score     float64

	successor int     // 1 + place of what superseded it, 0 if nothing did
	inherited float64 // the score of what it superseded
}

// best is the candidates with the highest scores, in no order.
func (r *ranking) best(limit int) []candidate {
	for i := range r.candidates {
		c := &r.candidates[i]
		d := &r.index.docs[c.slot]
		if d.session != nil {
			c.session = r.w.Session * r.sessionScores[d.session.number]
		}
		r.weigh(c, d)
	}
	return r.highest(limit)
}

// highest is the candidates with the highest scores, in no order: a heap whose
// root is the lowest of them takes each candidate that beats it.
func (r *ranking) highest(limit int) []candidate {
	kept := r.kept[:0]
	for i := range r.candidates {
		c := r.candidates[i]
		switch {
		case c.factor == 0:
		case len(kept) < limit:
			kept = append(kept, c)
			for child := len(kept) - 1; child > 0; {
				parent := (child - 1) / 2
				if r.compare(kept[child], kept[parent]) <= 0 {
					break
				}
				kept[child], kept[parent] = kept[parent], kept[child]
				child = parent
			}
		case c.score >= kept[0].score && r.compare(c, kept[0]) < 0:
			kept[0] = c
			r.sink(kept)
		}
	}
	r.kept = kept
	return kept
}

// sink restores the heap after its root was replaced.
func (r *ranking) sink(heap []candidate) {
	for parent := 0; ; {
		child := 2*parent + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && r.compare(heap[child+1], heap[child]) > 0 {
			child++
		}
		if r.compare(heap[child], heap[parent]) <= 0 {
			return
		}
		heap[parent], heap[child] = heap[child], heap[parent]
		parent = child
	}
}

func (r *ranking) compare(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score),
		strings.Compare(r.index.docs[a.slot].entry.Memory.ID, r.index.docs[b.slot].entry.Memory.ID))
}

// weigh applies what does not depend on the words. A score of 0 leaves out.
func (r *ranking) weigh(c *candidate, d *doc) {
	m := &d.entry.Memory
	c.factor = r.w.scope(m.Scope) * r.w.status(m.Status)
	if len(r.q.Kinds) > 0 && !slices.Contains(r.q.Kinds, m.Kind) {
		c.factor = 0
	}
	if c.factor == 0 {
		return
	}
	strong, recent, same := r.lifts(d)
	c.factor *= (1 + strong) * (1 + recent) * (1 + same)
	if len(r.asked.spans) > 0 {
		if c.inside = overlaps(d.spans, r.asked.spans); c.inside {
			c.time = r.w.Time * r.timeRarity
		} else {
			c.factor *= r.w.TimeOutside
		}
	}
	c.total()
}

// lifts are the shares that a doc's strength, its session's recency and being of
// the asking session add.
func (r *ranking) lifts(d *doc) (strong, recent, same float64) {
	strong = r.w.Strength * strength(&d.entry.Memory, r.q.Now)
	if d.session != nil {
		recent = r.w.Recency * fade(r.q.Now.Sub(d.session.last), r.w.RecencyHalfLife)
		if d.entry.Session == r.q.Session {
			same = r.w.SameSession
		}
	}
	return strong, recent, same
}

func (c *candidate) total() {
	c.base = c.own + c.context + c.session + c.exact + c.proximity + c.form + c.time
	c.score = c.base * c.factor
}

func overlaps(a, b []daySpan) bool {
	for _, s := range a {
		for _, t := range b {
			if s.from < t.to && t.from < s.to {
				return true
			}
		}
	}
	return false
}

func (w *Weights) scope(s memory.Scope) float64 {
	switch s {
	case memory.ScopeSession:
		return w.ScopeSession
	case memory.ScopeUser:
		return w.ScopeUser
	default:
		return w.ScopeProject
	}
}

func (w *Weights) status(s memory.Status) float64 {
	switch s {
	case memory.StatusCreated:
		return w.Created
	case memory.StatusConsolidated:
		return w.Consolidated
	case memory.StatusArchived:
		return w.Archived
	case memory.StatusForgotten:
		return 0
	default:
		return 1
	}
}

// refine adds the parts that look into a candidate, and sorts.
func (r *ranking) refine(best []candidate) {
	most := 0.0
	for i := range best {
		most = max(most, best[i].base)
	}
	for i := range best {
		c := &best[i]
		d := &r.index.docs[c.slot]
		for j := range r.frequent {
			r.probe(c, d, &r.frequent[j])
		}
		c.proximity = r.w.Proximity * r.proximity(d)
		if r.asked.when && d.dated {
			c.form += r.w.When * most
		}
		if r.asked.howMany && d.counts {
			c.form += r.w.Count * most
		}
		c.total()
	}
	slices.SortFunc(best, r.compare)
}

// probe adds a term that is too frequent to be counted everywhere.
func (r *ranking) probe(c *candidate, d *doc, t *term) {
	at, found := t.posting.find(c.slot)
	if !found {
		return
	}
	weight := t.weight * t.idf
	if t.exact != nil {
		c.exact += weight
		return
	}
	c.own += weight * r.w.Own * r.saturate(float64(t.posting.docs[at].count)/quarters, float64(d.length), r.average)
	c.covered += weight
	if t.topic {
		c.matched++
	}
}

// proximity is the weight of the pairs of query words that stand together.
func (r *ranking) proximity(d *doc) float64 {
	if r.w.Proximity == 0 {
		return 0
	}
	const window = 3
	sum := 0.0
	for _, pair := range r.pairs {
		for i, word := range d.words {
			if word == pair.first && slices.Contains(d.words[i+1:min(i+1+window, len(d.words))], pair.second) {
				sum += pair.weight
				break
			}
		}
	}
	return sum
}

// answers says whether the best candidates are about the query at all.
func (r *ranking) answers(best []candidate) bool {
	topics, unknown := 0, 0
	for _, t := range r.asked.terms {
		if !t.topic {
			continue
		}
		topics++
		if r.index.terms[t.text] == nil {
			unknown++
		}
	}
	for _, name := range r.asked.names {
		if r.index.terms[labelPrefix+name] != nil && len(best) > 0 {
			return true // asks about someone who is known
		}
	}
	for i := range best {
		c := &best[i]
		enough := c.covered >= r.w.MinCoverage*r.total || c.covered >= r.w.MinMass*r.rarest
		switch {
		case c.strong:
			return true
		case c.inside && (topics == 0 || enough):
			return true
		case c.rare > 0 && c.matched >= r.w.MinMatched && enough:
			return true
		case c.rare > 0 && topics > 1 && unknown == 0 && c.covered >= r.w.SingleCoverage*r.total:
			return true
		}
	}
	return false
}

// present makes hits of the sorted candidates.
func (r *ranking) present(best []candidate) []Hit {
	best = r.succeed(best)
	hits := make([]Hit, 0, min(r.q.Limit, len(best)))
	var shown []string
	for i := range best {
		c := &best[i]
		if len(hits) == r.q.Limit || c.score < r.w.Floor*best[0].score {
			break
		}
		if c.factor == 0 {
			continue
		}
		d := &r.index.docs[c.slot]
		if slices.Contains(shown, d.content) {
			continue
		}
		shown = append(shown, d.content)
		hit := Hit{Memory: d.entry.Memory, Score: c.score}
		if r.q.Explain {
			hit.Why = r.why(c, d)
		}
		hits = append(hits, hit)
	}
	return hits
}

// succeed puts what superseded a candidate before it.
func (r *ranking) succeed(best []candidate) []candidate {
	places := map[string]int{}
	for i := range best {
		places[r.id(&best[i])] = i
	}
	for i := 0; i < len(best); i++ { // grows while successors are brought in
		successor := r.index.docs[best[i].slot].entry.SupersededBy
		slot, known := r.index.slots[successor]
		if successor == "" || !known || slot == best[i].slot {
			continue
		}
		at, in := places[successor]
		if !in {
			c := candidate{slot: slot}
			r.weigh(&c, &r.index.docs[slot])
			if c.factor == 0 {
				continue
			}
			at = len(best)
			places[successor] = at
			best = append(best, c)
		}
		best[at].inherited = max(best[at].inherited, best[i].score, best[i].inherited)
		best[i].successor = at + 1
	}
	final := make([]float64, len(best))
	for i := range best {
		final[i] = finalScore(best, i, r.w.Superseded, len(best))
	}
	for i := range best {
		best[i].score = final[i]
	}
	slices.SortFunc(best, r.compare)
	return best
}

func (r *ranking) id(c *candidate) string { return r.index.docs[c.slot].entry.Memory.ID }

// finalScore lowers a superseded candidate below its successor. Where memories
// supersede each other in a circle, the chain ends after so many steps.
func finalScore(best []candidate, i int, penalty float64, steps int) float64 {
	c := &best[i]
	score := max(c.score, c.inherited)
	if c.successor == 0 {
		return score
	}
	if steps == 0 {
		return score
	}
	above := finalScore(best, c.successor-1, penalty, steps-1)
	return min(score*penalty, math.Nextafter(above, math.Inf(-1)))
}

// why lists what made a score.
func (r *ranking) why(c *candidate, d *doc) []Part {
	m := &d.entry.Memory
	strong, recent, same := r.lifts(d)
	inTime := 1.0
	if len(r.asked.spans) > 0 {
		inTime = 1
		if !c.inside {
			inTime = r.w.TimeOutside
		}
	}
	parts := []Part{
		{"own words", c.own},
		{"neighbours", c.context},
		{"session", c.session},
		{"exact", c.exact},
		{"proximity", c.proximity},
		{"form", c.form},
		{"time", c.time},
		{"inherited", max(c.inherited-c.base*c.factor, 0)},
	}
	parts = slices.DeleteFunc(parts, func(p Part) bool { return p.Value == 0 })
	for _, p := range []Part{
		{"x scope", r.w.scope(m.Scope)},
		{"x status", r.w.status(m.Status)},
		{"x lift of strength", 1 + strong},
		{"x lift of recency", 1 + recent},
		{"x lift of the same session", 1 + same},
		{"x time", inTime},
	} {
		if p.Value != 1 {
			parts = append(parts, p)
		}
	}
	return parts
}
