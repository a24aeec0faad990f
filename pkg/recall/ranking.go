package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// ranking is the state of one query: terms are looked up and counted into candidates,
// of which the best are refined, judged and presented.
type ranking struct {
	index *Index
	w     *Weights
	q     *Query
	asked parsedQuery
	*scratch

	terms   []term           // rarest first
	average [classes]float64 // length of a doc
	topics  int              // topic words of the query

	// now is the time of the query, or of the newest memory: memories do not age while
	// a project rests.
	now time.Time

	timeRarity float64 // inverse document frequency of the time that the query names
}

// fewest is the least number of memories that the inverse document frequency assumes:
// among three memories, a word of one would not count as rare.
const fewest = 50

// idf is BM25's inverse document frequency of a term, in the form that stays above 0. A
// nil posting is an unknown term.
func (r *ranking) idf(p posting) float64 { return rarity(max(len(r.index.slots), fewest), len(p)) }

func rarity(n, df int) float64 {
	return math.Log1p((float64(n-df) + 0.5) / (float64(df) + 0.5))
}

// around is the number of neighbours on each side that count.
const around = 2

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

// wants says whether a memory may be a hit by its kind, scope and status.
func (r *ranking) wants(slot uint32) bool {
	return r.index.links[slot].factor > 0 && (!r.q.Unasked || !r.index.links[slot].fact) &&
		(len(r.q.Kinds) == 0 || slices.Contains(r.q.Kinds, r.index.docs[slot].entry.Memory.Kind))
}

// weigh applies the factors that depend on the query.
func (r *ranking) weigh(s *scoredCandidate) {
	d, l := &r.index.docs[s.slot], &r.index.links[s.slot]
	s.factor = float64(l.factor) * r.strong(d) * r.fresh(d, l) * r.typed(d) * r.timeFactor(s, d)
	s.sum()
}

// strong is the factor for a doc's strength, at least 1.
func (r *ranking) strong(d *doc) float64 {
	return 1 + r.w.Strength*strength(&d.entry.Memory, r.now)
}

// fresh is the factor for a doc of the work that goes on, at least 1.
func (r *ranking) fresh(d *doc, l *link) float64 {
	if l.session == nil || !l.isAlone() || r.asked.question {
		return 1
	}
	return 1 + r.w.Fresh*fade(r.now.Sub(d.seenAt), r.w.FreshHalfLife)
}

// typed is the factor for words that the user typed, at least 1.
func (r *ranking) typed(d *doc) float64 {
	if d.entry.Memory.Source == memory.SourceUser {
		return 1 + r.w.UserWords
	}
	return 1
}

func (r *ranking) timeFactor(s *scoredCandidate, d *doc) float64 {
	if len(r.asked.spans) == 0 || s.inside || overlaps(d.spans, r.asked.spans) {
		return 1
	}
	return r.w.TimeOutside
}

// compare orders by score, the highest first, then by id.
func (r *ranking) compare(a, b scoredCandidate) int {
	if a.score != b.score { // never NaN
		return cmp.Compare(b.score, a.score)
	}
	return strings.Compare(r.id(&a), r.id(&b))
}

func (r *ranking) id(s *scoredCandidate) string { return r.index.docs[s.slot].entry.Memory.ID }

// isAlone says whether a doc has no context: a card covers its whole turn, and in a
// session with cards the other docs were extracted from them.
func (l *link) isAlone() bool { return l.class == ofCards || l.session != nil && l.session.cards > 0 }
