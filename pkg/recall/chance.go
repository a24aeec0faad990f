package recall

import (
	_ "embed"
	"math"
)

// answersChecked is how many of the best candidates are checked for an answer.
const answersChecked = 5

const (
	// chanceShare is the quantile of the calibrating prompts' surprise that is the
	// threshold.
	chanceShare = 0.95
	// chanceWindow is the number of prompts of similar length that a quantile is taken
	// from.
	chanceWindow = 60
	// knownWhenRelated is the share of known words in a prompt that is about the
	// project, as measured on the evaluation sets.
	knownWhenRelated = 0.92
	// knownWeight weighs the share of known words relative to the surprise of one
	// memory.
	knownWeight = 0.5
)

// surprises is the highest surprise of the best candidates, plus the weight of known words.
func (r *ranking) surprises(best []scoredCandidate, known float64) float64 {
	most := math.Inf(-1)
	for i := range best[:min(len(best), answersChecked)] {
		most = max(most, r.surprise(&best[i]))
	}
	return max(most, -maxSurprise) + knownWeight*r.knownness(known)
}

// maxSurprise bounds the surprise of a query without hits, so that it can be printed.
const maxSurprise = 99

// surprise measures how unlikely it is that some memory shares this much with the query
// by chance, in natural logarithms: the inverse document frequencies of the shared
// terms, minus the logarithms of the number of memories, of the ways to choose as many
// words of the query, and of the memory's length relative to the average.
func (r *ranking) surprise(s *scoredCandidate) float64 {
	if s.shared == 0 {
		return math.Inf(-1)
	}
	n := float64(max(len(r.index.slots), fewest))
	l := &r.index.links[s.slot]
	length := float64(l.length) / r.average[l.class]
	return s.rarity - math.Log(n) - logChoose(max(r.evidence, s.shared), s.shared) - s.shared*math.Log(max(length, 1))
}

// knownness is the log-likelihood ratio of the query's share of known words: related to
// the project against unrelated.
func (r *ranking) knownness(known float64) float64 {
	known = min(max(known, 0.05), knownWhenRelated)
	return float64(r.topics-r.unknown)*math.Log(knownWhenRelated/known) +
		float64(r.unknown)*math.Log((1-knownWhenRelated)/(1-min(known, 0.9)))
}

// logChoose is the natural logarithm of the binomial coefficient n over k.
func logChoose(n, k float64) float64 {
	all, _ := math.Lgamma(n + 1)
	chosen, _ := math.Lgamma(k + 1)
	left, _ := math.Lgamma(n - k + 1)
	return all - chosen - left
}
