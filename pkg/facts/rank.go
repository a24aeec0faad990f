package facts

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/prompt"
)

// Hit is a fact found. Its score compares with the thresholds of Weights, whatever the
// query. Why is the reason why it fits, or does not, where a prompt was judged.
type Hit struct {
	Memory memory.Memory
	Score  float64
	Fits   bool
	Why    string
}

// Find ranks the facts that share words with a text, the best first.
func (x *Index) Find(text string, limit int) []Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	best := x.rank(x.ask(text))
	return x.hits(best[:min(limit, len(best))])
}

func (x *Index) hits(best []candidate) []Hit {
	hits := make([]Hit, len(best))
	for i, s := range best {
		hits[i] = Hit{Memory: x.facts[s.slot].memory, Score: s.score}
	}
	return hits
}

// candidate is a fact with its score.
type candidate struct {
	slot  uint32
	score float64
	at    int64 // when it was last seen, in nanoseconds: kept here, as most of a comparison's time is to fetch it
}

// scores is the working memory of a query, by slot. All are 0 between two queries.
type scores struct {
	all  []float64 // of all terms
	term []float64 // of the term that is counted, and its synonyms
	seen []uint32  // slots in all that are not 0
	now  []uint32  // slots in term that are not 0
}

func (x *Index) borrow() *scores {
	s, _ := x.scratch.Get().(*scores)
	if s == nil {
		s = &scores{}
	}
	if missing := len(x.facts) - len(s.all); missing > 0 {
		s.all, s.term = append(s.all, make([]float64, missing)...), append(s.term, make([]float64, missing)...)
	}
	return s
}

// rank scores the facts that share words with a query, the best first: BM25, plus the
// coverage of a cue, times the importance, divided by a logarithm of the query's length,
// so that one threshold serves short and long texts.
func (x *Index) rank(q query) []candidate {
	if len(q.terms) == 0 {
		return nil
	}
	s := x.borrow()
	defer x.scratch.Put(s)
	average := max(x.length/float64(max(len(x.slots), 1)), 1)
	for _, t := range q.terms {
		x.count(t.text, t.weight, average, s)
		for _, other := range english.Synonyms(t.text) {
			if q.weights[other] == 0 {
				x.count(other, t.weight*x.weights.Synonym, average, s)
			}
		}
		s.settle()
	}
	ranked := make([]candidate, len(s.seen))
	for i, slot := range s.seen {
		ranked[i] = candidate{slot, s.all[slot], x.facts[slot].memory.LastSeenAt.UnixNano()}
		s.all[slot] = 0
	}
	s.seen = s.seen[:0]
	ranked = x.foremost(ranked, mostRanked)
	for i := range ranked {
		f := &x.facts[ranked[i].slot]
		ranked[i].score = (ranked[i].score + x.weights.Coverage*x.covered(f, q)) * (1 + x.weights.Importance*stepOf(f.memory)) / q.norm
	}
	slices.SortFunc(ranked, x.compare)
	return ranked
}

// mostRanked is the number of facts, the best by their words, that are weighed further.
const mostRanked = 400

// foremost is the n best candidates, in no order. Where a word stands in thousands of facts,
// to sort them all takes longer than all the rest: the worst of n is kept at the top of a
// heap, and most candidates are worse.
func (x *Index) foremost(all []candidate, n int) []candidate {
	if len(all) <= n {
		return all
	}
	best := &worstFirst{all[:n], x}
	heap.Init(best)
	for _, c := range all[n:] {
		if x.compare(c, best.candidates[0]) < 0 {
			best.candidates[0] = c
			heap.Fix(best, 0)
		}
	}
	return best.candidates
}

// worstFirst is a heap with the worst candidate at the top.
type worstFirst struct {
	candidates []candidate
	index      *Index
}

func (h *worstFirst) Len() int { return len(h.candidates) }
func (h *worstFirst) Less(i, j int) bool {
	return h.index.compare(h.candidates[i], h.candidates[j]) > 0
}

func (h *worstFirst) Swap(i, j int) {
	h.candidates[i], h.candidates[j] = h.candidates[j], h.candidates[i]
}
func (h *worstFirst) Push(any) {} // it only shrinks to the best
func (h *worstFirst) Pop() any { return nil }

func (x *Index) compare(a, b candidate) int {
	if a.score != b.score { // never NaN
		return cmp.Compare(b.score, a.score)
	}
	if a.at != b.at {
		return cmp.Compare(b.at, a.at)
	}
	return strings.Compare(x.facts[a.slot].memory.ID, x.facts[b.slot].memory.ID)
}

// count adds a term of the query, or a synonym of it: of those the best counts.
func (x *Index) count(term string, weight, average float64, s *scores) {
	idf := x.idf(term)
	for _, p := range x.postings[term] {
		saturated := p.tf * (x.weights.K1 + 1) / (p.tf + x.weights.K1*(1-x.weights.B+x.weights.B*x.facts[p.slot].length/average))
		if s.term[p.slot] == 0 {
			s.now = append(s.now, p.slot)
		}
		s.term[p.slot] = max(s.term[p.slot], weight*idf*saturated)
	}
}

// settle adds the scores of a term to those of all.
func (s *scores) settle() {
	for _, slot := range s.now {
		if s.all[slot] == 0 {
			s.seen = append(s.seen, slot)
		}
		s.all[slot] += s.term[slot]
		s.term[slot] = 0
	}
	s.now = s.now[:0]
}

// query is a text taken apart.
type query struct {
	terms   []term // in the order of the text
	weights map[string]float64
	norm    float64
	asks    bool // it is a question
}

type term struct {
	text   string
	weight float64
	// evidence is how strongly the term shows what a text is about: 1 for a word that names
	// its subject and for an identifier, of whose words each has a share; 0 for a word that
	// only phrases it.
	evidence float64
	isWord   bool // not an identifier kept whole
}

// maxQuery is the most bytes of a query that are read.
const maxQuery = 8 << 10

// ask takes a text apart; without facts nobody needs that. The words of a compound (a
// path, an identifier) share the weight of one word, beside the compound itself: they
// always come together. Those of a file's name do not: a cue names a file and no folders.
func (x *Index) ask(text string) query {
	if len(x.slots) == 0 {
		return query{}
	}
	q := query{weights: map[string]float64{}, asks: asks(text)}
	for i, t := range english.Tokenize(memory.Cut(text, maxQuery)) {
		if q.weights[t.Term] == 0 {
			one := term{text: t.Term, isWord: !t.Whole}
			phrases := english.FramesQuestion(t.Term) || i == 0 && english.OpensPrompt(t.Term) || len(t.Term) == 1
			if t.Whole || !phrases {
				one.evidence = t.Share
			}
			q.terms = append(q.terms, one)
		}
		weight := 1.0
		if !t.OfName {
			weight = 1 / float64(t.Words)
		}
		q.weights[t.Term] = max(q.weights[t.Term], weight)
	}
	for i := range q.terms {
		q.terms[i].weight = q.weights[q.terms[i].text]
	}
	q.norm = 1 + math.Log1p(float64(len(q.terms)))
	return q
}

// fewest is the least number of facts that the inverse document frequency assumes: among
// three facts, a word of one would not count as rare, and a young store tell nothing.
const fewest = 100

// idf is BM25's inverse document frequency of a term, in the form that stays above 0.
func (x *Index) idf(term string) float64 {
	n, df := float64(max(len(x.slots), fewest)), float64(len(x.postings[term]))
	return math.Log1p((n - df + 0.5) / (df + 0.5))
}

// covered is the highest share of a cue's inverse document frequencies that the query
// has, times these: a long cue that the query has whole counts most.
func (x *Index) covered(f *fact, q query) float64 {
	best := 0.0
	for _, cue := range f.cues {
		if !slices.ContainsFunc(cue, func(term string) bool { return q.weights[term] > 0 }) {
			continue
		}
		shared, whole := 0.0, 0.0
		for _, term := range cue {
			idf := x.idf(term)
			whole += idf
			shared += idf * q.weights[term]
		}
		if whole > 0 {
			best = max(best, shared*shared/whole)
		}
	}
	return best
}

// stepOf is -1, 0 or 1 for facts of importance 1, 2 and 3.
func stepOf(m memory.Memory) float64 {
	two, three := memory.FactImportance(2), memory.FactImportance(3)
	return min(max(math.Round((m.Importance-two)/(three-two)), -1), 1)
}

// longestQuestion is the length in bytes up to which a text may lead to its question.
const longestQuestion = 300

// asks says whether a text is a question, or a short one that ends in one: "I saved it on
// a branch. On what will it be based?"
func asks(text string) bool {
	text = strings.TrimSpace(text)
	if prompt.IsQuestion(text) || len(text) > longestQuestion {
		return prompt.IsQuestion(text)
	}
	last := strings.LastIndexAny(strings.TrimRight(text, "?"), ".!?:\n")
	return prompt.IsQuestion(text[last+1:])
}
