package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// ranking is the state of one query.
type ranking struct {
	x       *Index
	w       *Weights
	q       asked
	parts   part // number of parts that are ranked
	average [parts]float64
	others  map[string][]variant // similar spellings of unknown words
	kinds   []memory.Kind        // kinds of the candidates; empty for all
	scores
}

// ranking prepares a query that ranks the first parts of the index; of is their number. The caller must hold x.mu.
func (x *Index) ranking(q asked, of part) *ranking {
	r := &ranking{x: x, w: &x.weights, q: q, parts: of, scores: scores{all: make([]float64, len(x.docs)), term: make([]float64, len(x.docs))}}
	for i := range r.average {
		r.average[i] = max(x.of[i].length/float64(max(x.of[i].docs, 1)), 1)
	}
	for i := range r.q.terms {
		t := &r.q.terms[i]
		t.in = x.terms[t.text]
		t.idf = r.idfOf(&t.in)
	}
	return r
}

func (r *ranking) isWanted(d *doc) bool {
	return len(r.kinds) == 0 || slices.Contains(r.kinds, d.entry.Memory.Kind)
}

// rank returns the memories that share words with the query, the best first. The score is BM25 plus the coverage of the best
// cue, times the importance, divided by a logarithm of the query's length, so that one threshold fits short and long texts.
func (r *ranking) rank() []candidate {
	for _, t := range r.q.terms {
		r.count(&t.in, t.idf, t.weight)
		for _, other := range english.Synonyms(t.text) {
			if r.q.weights[other] == 0 {
				r.countWord(other, t.weight*r.w.Synonym)
			}
		}
		for _, other := range r.others[t.text] {
			r.countWord(other.word, t.weight*r.w.Variant*other.alike)
		}
		r.settle()
	}
	ranked := make([]candidate, 0, len(r.seen))
	for _, slot := range r.seen {
		if d := &r.x.docs[slot]; r.isWanted(d) {
			score := (r.all[slot] + r.w.Coverage*r.covered(d)) * (1 + r.w.Importance*stepOf(&d.entry.Memory)) / r.q.norm
			ranked = append(ranked, candidate{slot: slot, score: score, at: d.at})
		}
	}
	slices.SortFunc(ranked, r.x.compare)
	return ranked
}

func (x *Index) compare(a, b candidate) int {
	if a.score != b.score { // never NaN
		return cmp.Compare(b.score, a.score)
	}
	if a.at != b.at {
		return cmp.Compare(b.at, a.at)
	}
	return strings.Compare(x.id(a.slot), x.id(b.slot))
}

func (x *Index) id(slot uint32) string { return x.docs[slot].entry.Memory.ID }

// countWord counts the occurrences of a synonym or variant of a term.
func (r *ranking) countWord(text string, weight float64) {
	if p, isKnown := r.x.terms[text]; isKnown {
		r.count(&p, r.idfOf(&p), weight)
	}
}

// count raises the current term's score for each memory in p. A term, its synonyms and its variants count
// once: with the best of their scores.
func (r *ranking) count(p *posting, idf, weight float64) {
	k1, b := r.w.K1, r.w.B
	for of, list := range p[:r.parts] {
		average := r.average[of]
		for _, o := range list {
			tf := float64(o.count) / quarters
			saturated := tf * (k1 + 1) / (tf + k1*(1-b+b*float64(r.x.docs[o.slot].length)/average))
			if r.term[o.slot] == 0 {
				r.now = append(r.now, o.slot)
			}
			r.term[o.slot] = max(r.term[o.slot], weight*idf*saturated)
		}
	}
}

// fewest is the number of memories that the inverse document frequency assumes if there are fewer. Otherwise no word
// would be rare in a new store, and no memory would reach a threshold.
const fewest = 100

// idf returns the inverse document frequency of a term by BM25, in the variant that is always positive.
func (r *ranking) idf(term string) float64 {
	p := r.x.terms[term]
	return r.idfOf(&p)
}

func (r *ranking) idfOf(p *posting) float64 {
	docs, with := 0, 0
	for of := range r.parts {
		docs, with = docs+r.x.of[of].docs, with+len(p[of])
	}
	return rarity(max(docs, fewest), with)
}

func rarity(n, df int) float64 {
	return math.Log1p((float64(n-df) + 0.5) / (float64(df) + 0.5))
}

// covered returns how well the query covers a memory's best cue: the summed inverse document frequencies of the
// shared terms, times their share of the whole cue's sum. A long cue that is covered entirely scores highest.
func (r *ranking) covered(d *doc) float64 {
	best := 0.0
	for _, cue := range d.cues {
		if !slices.ContainsFunc(cue, func(term string) bool { return r.q.weights[term] > 0 }) {
			continue
		}
		shared, whole := 0.0, 0.0
		for _, term := range cue {
			idf := r.idf(term)
			whole += idf
			shared += idf * r.q.weights[term]
		}
		if whole > 0 {
			best = max(best, shared*shared/whole)
		}
	}
	return best
}

// stepOf returns -1, 0 or 1 for a memory of importance 1, 2 or 3.
func stepOf(m *memory.Memory) float64 {
	two, three := memory.FactImportance(2), memory.FactImportance(3)
	return min(max(math.Round((m.Importance-two)/(three-two)), -1), 1)
}

type candidate struct {
	slot  uint32
	score float64
	at    int64 // copy of doc.at, because loading the doc would take most of the time of a comparison
}

// variant is a known word with nearly the spelling of another.
type variant struct {
	word  string
	alike float64 // likeness, from 0 to 1
}

// scores has the scores of a query, by slot.
type scores struct {
	all  []float64 // sums over all terms
	term []float64 // best score for the current term or its synonyms
	seen []uint32  // slots with a value in all
	now  []uint32  // slots with a value in term
}

// settle adds the scores of the current term to the sums, and clears them.
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
