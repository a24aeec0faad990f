package recall

import "math"

// The user's own words have no cues. How well they fit a prompt is judged by how unlikely it is that some memory
// shares as many words with it by chance.

const (
	// leastSubjects is the minimum number of words in a prompt that name its subject.
	leastSubjects = 2
	// A question with shortLeast to shortMost such words also fits a memory that has most of them.
	shortLeast, shortMost = 3, 12
)

// isSurprising reports whether a memory without cues shares more with a query than chance explains. surprise is the sum of
// the inverse document frequencies of the shared words, minus the logarithms of the number of offered memories, of the number
// of ways to choose that many words of the query and, for each shared word, of the memory's length relative to the average.
func (r *ranking) isSurprising(slot uint32) (surprise float64, is bool) {
	all, shared, rarity, whole, subjects := 0.0, 0.0, 0.0, 0.0, 0
	for _, t := range r.q.terms {
		if t.evidence == 0 {
			continue
		}
		all += t.evidence
		if t.isWord {
			subjects++
			whole += t.evidence * t.idf
		}
		if r.x.isIn(&t.in, slot) {
			shared += t.evidence
			rarity += t.evidence * t.idf
		}
	}
	if shared == 0 || subjects < leastSubjects {
		return 0, false
	}
	of, size := &r.x.of[offered], float64(r.x.docs[slot].size)
	average := of.size / float64(max(of.sized, 1))
	surprise = rarity - math.Log(float64(max(of.docs, fewest))) - logChoose(max(all, shared),
		shared) - shared*math.Log(max(size/average, 1))
	isShort := r.q.asks && subjects >= shortLeast && subjects <= shortMost
	return surprise, surprise > r.w.MinSurprise || isShort && rarity >= r.w.MinCover*whole
}

// logChoose returns the natural logarithm of the binomial coefficient n over k.
func logChoose(n, k float64) float64 {
	all, _ := math.Lgamma(n + 1)
	chosen, _ := math.Lgamma(k + 1)
	left, _ := math.Lgamma(n - k + 1)
	return all - chosen - left
}
