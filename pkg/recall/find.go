package recall

import (
	"cmp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// answersChecked is how many of the best candidates are checked for an answer.
const answersChecked = 5

// Recall returns the memories that answer a question, the best first. It returns none if none of the best
// answersChecked memories has a word of the question's topic.
func (x *Index) Recall(query Query) []memory.Hit {
	if query.Limit <= 0 {
		query.Limit = DefaultLimit
	}
	q := splitQuery(query, &x.weights)
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.slots) == 0 {
		return nil
	}
	r := x.ranking(q, parts)
	r.kinds = query.Kinds
	r.addVariants()
	f := finding{ranking: r, query: &query, topic: r.topic(), found: r.rank()}
	f.addSession()
	slices.SortFunc(f.found, x.compare)
	if !f.answers() {
		return nil
	}
	return f.present()
}

// maxVariants is the maximum number of variants of a word.
const maxVariants = 3

// addVariants finds known words with nearly the spelling of a question's unknown words.
func (r *ranking) addVariants() {
	unknown := map[string][]string{} // words that no memory has, by their first two bytes, which similar words share
	for _, t := range r.q.terms {
		if _, known := r.x.terms[t.text]; !known && t.isWord && len(t.text) > 1 {
			unknown[t.text[:2]] = append(unknown[t.text[:2]], t.text)
		}
	}
	if r.others = map[string][]variant{}; len(unknown) == 0 {
		return
	}
	for word := range r.x.terms {
		for _, text := range unknown[word[:min(2, len(word))]] {
			if alike := english.Likeness(text, word); alike > 0 {
				r.others[text] = append(r.others[text], variant{word, alike})
			}
		}
	}
	for text, found := range r.others {
		slices.SortFunc(found, func(a, b variant) int {
			return cmp.Or(cmp.Compare(b.alike, a.alike), strings.Compare(a.word, b.word))
		})
		r.others[text] = found[:min(len(found), maxVariants)]
	}
}

// finding is the state of Recall: a question and the memories found so far.
type finding struct {
	*ranking
	query *Query
	topic float64
	found []candidate
}

// addSession adds to each score a share of a neighbour's: the higher score of the found memories before and after it in its session.
func (f *finding) addSession() {
	of := func(at int) string { return f.x.docs[f.found[at].slot].entry.Memory.Session }
	order := make([]int, len(f.found))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(strings.Compare(of(a), of(b)), cmp.Compare(f.found[a].at, f.found[b].at), cmp.Compare(a, b))
	})
	shares := make([]float64, len(f.found))
	for i := 1; i < len(order); i++ {
		one, next := order[i-1], order[i]
		if session := of(next); session != "" && session == of(one) {
			shares[one] = max(shares[one], f.w.Neighbour*f.found[next].score)
			shares[next] = max(shares[next], f.w.Neighbour*f.found[one].score)
		}
	}
	for i, share := range shares {
		f.found[i].score += share
	}
}

// answers reports whether one of the best memories has a word of the question's topic.
func (f *finding) answers() bool {
	return slices.ContainsFunc(f.found[:min(len(f.found), answersChecked)], func(one candidate) bool {
		return f.shared(one.slot) > 0
	})
}

// topic returns the sum of the inverse document frequencies of the question's topic words.
func (r *ranking) topic() (whole float64) {
	for _, t := range r.q.terms {
		if t.isWord {
			whole += t.evidence * t.idf
		}
	}
	return whole
}

// surelyAlike is the likeness (0 to 1) from which a similar spelling counts as the word itself.
const surelyAlike = 0.8

// shared returns the sum of the inverse document frequencies of the topic words in a memory's text, without its cues.
func (f *finding) shared(slot uint32) (rarity float64) {
	has := func(term string) bool { return f.x.has(slot, term) }
	if d := &f.x.docs[slot]; len(d.cues) > 0 {
		own := map[string]bool{}
		for _, t := range tokenize(d.entry.Memory.Content + "\n" + d.entry.Memory.Detail) {
			own[t.Term] = true
		}
		has = func(term string) bool { return own[term] }
	}
	for _, t := range f.q.terms {
		if t.evidence == 0 {
			continue
		}
		if has(t.text) {
			rarity += t.evidence * t.idf
			continue
		}
		for _, other := range f.others[t.text] {
			if other.alike >= surelyAlike && has(other.word) {
				rarity += t.evidence * f.idf(other.word)
				break
			}
		}
	}
	return rarity
}

// present returns the found memories as hits, each behind the memories that superseded it. Of memories with the same text it
// keeps the newest that is not superseded. Reported memories come last.
func (f *finding) present() (hits []memory.Hit) {
	shown, texts := map[uint32]bool{}, map[string]int{}
	show := func(slot uint32, score float64) {
		if len(hits) == f.query.Limit || shown[slot] {
			return
		}
		shown[slot] = true
		hit := f.hit(slot, score)
		text := memory.Normalise(hit.Memory.Content)
		at, again := texts[text]
		switch {
		case !again:
			texts[text] = len(hits)
			hits = append(hits, hit)
		case f.x.docs[slot].entry.SupersededBy == "" && hit.Memory.LastSeenAt.After(hits[at].Memory.LastSeenAt):
			hit.Score = hits[at].Score
			hits[at] = hit
		}
	}
	for _, one := range f.found {
		for _, successor := range slices.Backward(f.successors(one.slot)) {
			show(successor, one.score)
		}
		show(one.slot, one.score)
	}
	slices.SortStableFunc(hits, func(a, b memory.Hit) int { return memory.TrueFirst(!a.Memory.IsHearsay(), !b.Memory.IsHearsay()) })
	return hits
}

// successors returns the memory that superseded a memory, its successor, and so on, without kinds that the question
// excludes. It ends where the chain forms a circle.
func (f *finding) successors(slot uint32) (chain []uint32) {
	for at := slot; ; {
		next, known := f.x.slots[f.x.docs[at].entry.SupersededBy]
		if !known || next == slot || slices.Contains(chain, next) {
			return slices.DeleteFunc(chain, func(slot uint32) bool { return !f.isWanted(&f.x.docs[slot]) })
		}
		chain, at = append(chain, next), next
	}
}

func (f *finding) hit(slot uint32, score float64) memory.Hit {
	hit := memory.Hit{Memory: f.x.docs[slot].entry.Memory, Score: score, Share: 1}
	if shared := f.shared(slot); f.topic > 0 {
		hit.Share = min(shared/f.topic, 1)
		if shared == 0 {
			hit.Share = SynonymShare
		}
	}
	return hit
}
