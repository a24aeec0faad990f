package facts

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// Index holds the facts of one project. It is safe for concurrent use. Its content
// depends only on the facts put and not removed, never on their order.
type Index struct {
	weights Weights

	mu       sync.RWMutex
	slots    map[string]uint32 // by memory id
	facts    []fact            // by slot
	free     []uint32          // slots of removed facts
	postings map[string][]posting
	length   float64 // of all facts
}

// fact is a memory with its analysis.
type fact struct {
	memory memory.Memory
	terms  map[string]float64 // weighted occurrences
	cues   [][]string         // the distinct terms of each cue
	length float64
}

// posting is a fact that has a term.
type posting struct {
	slot uint32
	tf   float64
}

// New makes an empty index.
func New(w Weights) *Index {
	return &Index{weights: w, slots: map[string]uint32{}, postings: map[string][]posting{}}
}

// Len is the number of facts.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.slots)
}

// Memory returns the fact with an id, if the index has it.
func (x *Index) Memory(id string) (memory.Memory, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	slot, has := x.slots[id]
	if !has {
		return memory.Memory{}, false
	}
	return x.facts[slot].memory, true
}

// All are the facts, in the order of their ids.
func (x *Index) All() []memory.Memory {
	x.mu.RLock()
	defer x.mu.RUnlock()
	all := make([]memory.Memory, 0, len(x.slots))
	for _, slot := range x.slots {
		all = append(all, x.facts[slot].memory)
	}
	slices.SortFunc(all, func(a, b memory.Memory) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// Put adds a fact or replaces the one with the same id.
func (x *Index) Put(m memory.Memory) {
	f := x.weights.analyse(m)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(m.ID)
	slot := uint32(len(x.facts))
	if last := len(x.free) - 1; last >= 0 {
		slot, x.free = x.free[last], x.free[:last]
		x.facts[slot] = f
	} else {
		x.facts = append(x.facts, f)
	}
	x.slots[m.ID] = slot
	x.length += f.length
	for term, tf := range f.terms {
		x.postings[term] = append(x.postings[term], posting{slot, tf})
	}
}

// Remove takes a fact out. A missing one is no error.
func (x *Index) Remove(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(id)
}

func (x *Index) remove(id string) {
	slot, has := x.slots[id]
	if !has {
		return
	}
	for term := range x.facts[slot].terms {
		left := slices.DeleteFunc(x.postings[term], func(p posting) bool { return p.slot == slot })
		if x.postings[term] = left; len(left) == 0 {
			delete(x.postings, term)
		}
	}
	x.length -= x.facts[slot].length
	x.facts[slot] = fact{}
	delete(x.slots, id)
	x.free = append(x.free, slot)
}

func (w Weights) analyse(m memory.Memory) fact {
	f := fact{memory: m, terms: map[string]float64{}}
	add := func(text string, weight float64) []string {
		var terms []string
		for _, t := range recall.Tokenize(text) {
			f.terms[t.Term] += weight
			f.length += weight
			terms = append(terms, t.Term)
		}
		return terms
	}
	add(m.Content, w.Text)
	add(m.Detail, w.Quote)
	for _, cue := range m.Cues {
		terms := add(cue, w.Cue)
		slices.Sort(terms)
		f.cues = append(f.cues, slices.Compact(terms))
	}
	return f
}

// Hit is a fact found. Scores compare with the thresholds of Weights, whatever the query.
type Hit struct {
	Memory memory.Memory
	Score  float64
	Why    string
}

// Find ranks the facts that share words with a text, the best first.
func (x *Index) Find(text string, limit int) []Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	q := x.ask(text)
	if len(q.weights) == 0 {
		return nil
	}
	hits := make([]Hit, 0, len(q.scores))
	for slot, score := range q.scores {
		f := &x.facts[slot]
		score = (score + x.weights.Coverage*q.covered(f)) * (1 + x.weights.Importance*stepOf(f.memory))
		why := ""
		for term, wt := range q.weights {
			if tf := f.terms[term]; tf > 0 {
				why += fmt.Sprintf("%s %.1f*%.1f ", term, tf, x.idf(term)*wt)
			}
		}
		hits = append(hits, Hit{f.memory, score / q.norm, why + fmt.Sprintf("cov %.1f", q.covered(f))})
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Memory.LastSeenAt.Compare(a.Memory.LastSeenAt), strings.Compare(a.Memory.ID, b.Memory.ID))
	})
	return hits[:min(limit, len(hits))]
}

// Prompt is the facts that a prompt is told, the best first: none if the best is not good
// enough. A task for a subagent replies to nothing.
func (x *Index) Prompt(text string, task bool, limit int) []Hit {
	hits := x.Find(text, limit)
	if len(hits) == 0 {
		return nil
	}
	best, least := hits[0].Score, x.weights.Work
	if recall.IsQuestion(text) {
		least = x.weights.Question
	}
	if !task && recall.IsReply(text) {
		best *= x.weights.Reply
	}
	if best <= least {
		return nil
	}
	floor := hits[0].Score * x.weights.Floor
	return slices.DeleteFunc(hits, func(h Hit) bool { return h.Score < floor })
}

// query is a text with the scores of the facts that share words with it.
type query struct {
	index   *Index
	weights map[string]float64 // of its terms
	scores  map[uint32]float64
	norm    float64
}

func (x *Index) ask(text string) query {
	q := query{index: x, weights: map[string]float64{}, scores: map[uint32]float64{}}
	part, left := 1.0, 0
	tokens := recall.Tokenize(memory.Cut(text, maxQuery))
	for i, t := range tokens {
		switch {
		case t.Whole:
			left = partsOf(tokens[i+1:], t.Term)
			part = math.Pow(1/float64(max(left, 1)), x.weights.Part)
			q.weights[t.Term] = max(q.weights[t.Term], 1)
			continue
		case left == 0:
			part = 1
		default:
			left--
		}
		q.weights[t.Term] = max(q.weights[t.Term], part)
	}
	q.norm = 1 + math.Log1p(float64(len(q.weights)))
	average := x.length / math.Max(float64(len(x.slots)), 1)
	terms := make([]string, 0, len(q.weights))
	for term := range q.weights {
		terms = append(terms, term)
	}
	slices.Sort(terms)
	for _, term := range terms {
		best := map[uint32]float64{}
		x.gain(term, q.weights[term], average, best)
		for _, other := range english.Synonyms(term) {
			if _, has := q.weights[other]; !has && x.weights.Synonym > 0 {
				x.gain(other, q.weights[term]*x.weights.Synonym, average, best)
			}
		}
		for slot, gain := range best {
			q.scores[slot] += gain
		}
	}
	return q
}

func partsOf(tokens []recall.Token, whole string) int {
	n := 0
	for _, t := range tokens {
		if t.Whole {
			if len(t.Term) < len(whole) && strings.HasSuffix(whole, t.Term) {
				continue
			}
			break
		}
		n++
		if n > 12 {
			break
		}
	}
	return min(n, strings.Count(whole, "/")+strings.Count(whole, "_")+strings.Count(whole, ".")+strings.Count(whole, "-")+2)
}

func (x *Index) gain(term string, weight, average float64, best map[uint32]float64) {
	idf := x.idf(term)
	for _, p := range x.postings[term] {
		norm := x.weights.K1 * (1 - x.weights.B + x.weights.B*x.facts[p.slot].length/average)
		best[p.slot] = max(best[p.slot], weight*idf*p.tf*(x.weights.K1+1)/(p.tf+norm))
	}
}

// maxQuery is the most bytes of a query that are read.
const maxQuery = 8 << 10

// idf is BM25's inverse document frequency of a term, in the form that stays above 0.
func (x *Index) idf(term string) float64 {
	n, df := float64(len(x.slots)), float64(len(x.postings[term]))
	return math.Log1p((n - df + 0.5) / (df + 0.5))
}

// covered is the highest share of a cue's inverse document frequencies that the query
// has, times these: a long cue that the query has whole counts most.
func (q query) covered(f *fact) float64 {
	best := 0.0
	for _, cue := range f.cues {
		shared, whole := 0.0, 0.0
		for _, term := range cue {
			idf := q.index.idf(term)
			whole += idf
			shared += idf * q.weights[term]
		}
		if whole > 0 {
			best = max(best, shared*shared/whole)
		}
	}
	return best
}

// stepOf is -1, 0 or 1 for facts of importance 1, 2 and 3; see package ingest.
func stepOf(m memory.Memory) float64 {
	return math.Round((m.Importance - memory.FactImportance(2)) / (memory.FactImportance(3) - memory.FactImportance(2)))
}
