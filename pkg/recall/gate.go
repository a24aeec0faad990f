package recall

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Prompt returns at most limit offered memories that fit a prompt, the best first; for most prompts none. isTask is
// set for a subagent's task, which is never a reply to the last message.
func (x *Index) Prompt(text string, isTask bool, limit int) (hits []memory.Hit) {
	x.offer(text, func(r *ranking) { hits = r.judge(r.rank(), text, isTask, limit).fits })
	return hits
}

// Explain returns the hits of Prompt, then other memories that share words with the text, each with the reason why it does not fit.
func (x *Index) Explain(text string, isTask bool, limit int) (hits []memory.Hit) {
	x.offer(text, func(r *ranking) {
		ranked := r.rank()
		j := r.judge(ranked, text, isTask, limit)
		hits = j.fits
		for _, s := range ranked {
			if len(hits) == limit {
				break
			}
			if !j.has(s.slot) {
				hits = append(hits, memory.Hit{Memory: x.docs[s.slot].entry.Memory, Score: s.score, Why: j.misses(s)})
			}
		}
	})
	return hits
}

// offer calls work with a ranking of the offered memories for a text, if there are any.
func (x *Index) offer(text string, work func(r *ranking)) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.of[offered].docs == 0 {
		return
	}
	work(x.ranking(splitText(text), logged))
}

func (r *ranking) judge(ranked []candidate, text string, isTask bool, limit int) *judgement {
	j := &judgement{ranking: r, limit: limit}
	needs := isTask || !needsNothing(text)
	if needs {
		j.plain(ranked)
	}
	j.cued(ranked)
	if needs || assents(text) {
		for _, s := range r.rules(ranked, workAsked(text)) {
			j.fit(s, "it is for the type of work that is asked for")
		}
	}
	return j
}

// judgement collects the memories that fit a prompt.
type judgement struct {
	*ranking
	limit       int // maximum length of fits
	best, least fit // fit of the best fact with cues, and the fit that it must exceed
	slots       []uint32
	fits        []memory.Hit
}

func (j *judgement) has(slot uint32) bool { return slices.Contains(j.slots, slot) }

func (j *judgement) fit(s candidate, why string) {
	if len(j.fits) < j.limit && !j.has(s.slot) {
		j.slots = append(j.slots, s.slot)
		j.fits = append(j.fits, memory.Hit{Memory: j.x.docs[s.slot].entry.Memory, Score: s.score, Fits: true, Why: why})
	}
}

// plain adds the fitting memories without cues, most of which are the user's own words.
func (j *judgement) plain(ranked []candidate) {
	var found []candidate
	for _, s := range ranked {
		f := &j.x.docs[s.slot]
		if f.size == 0 {
			continue
		}
		if surprise, is := j.isSurprising(s.slot); is {
			found = append(found, candidate{slot: s.slot, score: surprise, at: s.at})
		}
	}
	// The sort is stable: equally surprising memories keep the order of rank, in which a matching number counts.
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	for _, s := range found {
		j.fit(s, fmt.Sprintf("it shares enough rare words with the prompt (rarity %.2f; more than %.2f is needed)", s.score, j.w.MinSurprise))
	}
}

// cued adds the facts with cues that score near the best one, if the best one fits.
func (j *judgement) cued(ranked []candidate) {
	ranked = slices.DeleteFunc(slices.Clone(ranked), func(s candidate) bool { return j.x.docs[s.slot].size > 0 })
	j.best, j.least = j.bestOf(ranked), j.leastFit()
	if j.best.exceeds(j.least) {
		why := fmt.Sprintf("the best fact scores %.2f (more than %.2f is needed), and its word overlap is %.2f (more than %.2f is needed)", j.best.score, j.least.score, j.best.overlap, j.least.overlap)
		for _, s := range j.nearBest(ranked) {
			j.fit(s, why)
		}
	}
}

// misses returns the reason why a memory does not fit.
func (j *judgement) misses(s candidate) string {
	if f := &j.x.docs[s.slot]; f.size > 0 {
		surprise, _ := j.isSurprising(s.slot)
		return fmt.Sprintf("it shares too few words with the prompt, or too common ones (rarity %.2f; more than %.2f is needed)", surprise, j.w.MinSurprise)
	}
	switch {
	case j.best.score <= j.least.score:
		return fmt.Sprintf("the best fact scores %.2f, and this text needs more than %.2f", j.best.score, j.least.score)
	case j.best.overlap <= j.least.overlap:
		return fmt.Sprintf("even the best fact shares too few words with the text (word overlap %.2f; more than %.2f is needed)", j.best.overlap, j.least.overlap)
	default:
		return fmt.Sprintf("it scores %.2f, far below the best fact with %.2f", s.score, j.best.score)
	}
}

// Question returns the offered memories nearest to a question that somebody asks explicitly, the best first, even if
// they do not fit. fits reports whether a prompt with this text would get them.
func (x *Index) Question(text string, limit int) (hits []memory.Hit, fits bool) {
	x.offer(text, func(r *ranking) {
		ranked := r.rank()
		near := r.nearBest(ranked)
		for _, s := range near[:min(limit, len(near))] {
			hits = append(hits, memory.Hit{Memory: x.docs[s.slot].entry.Memory, Score: s.score})
		}
		fits = r.bestOf(ranked).exceeds(r.leastFit())
	})
	return hits, fits
}

// fit is how well a fact fits a text: its score, and the overlap of their words.
type fit struct{ score, overlap float64 }

// usualFacts is the number of facts in the stores with which PromptScore and QuestionScore were tuned.
const usualFacts = 250

// growth returns the factor by which the inverse document frequencies, and with them all scores, rise with the number of facts.
func (r *ranking) growth() float64 {
	return 1 + r.w.Growth*math.Log(float64(max(r.x.of[offered].docs, usualFacts))/usualFacts)
}

// leastFit returns the fit that the best fact must exceed. The overlap is needed beside the score, because one rare
// shared word makes the score high, and in a long text a few words match some fact by chance.
func (r *ranking) leastFit() fit {
	if r.q.asks {
		return fit{r.w.QuestionScore * r.growth(), r.w.MinOverlap}
	}
	return fit{r.w.PromptScore * r.growth(), r.w.MinOverlap}
}

// bestOf returns the fit of the first of the ranked facts.
func (r *ranking) bestOf(ranked []candidate) fit {
	if len(ranked) == 0 {
		return fit{}
	}
	return fit{ranked[0].score, r.overlap(ranked[0].slot)}
}

func (f fit) exceeds(least fit) bool { return f.score > least.score && f.overlap > least.overlap }

// overlap returns the number of the query's terms that a fact has, divided by the square root of the number of the
// query's terms: two of four count as much as three of nine.
func (r *ranking) overlap(slot uint32) float64 {
	shared := 0
	for _, t := range r.q.terms {
		if r.x.isIn(&t.in, slot) {
			shared++
		}
	}
	return float64(shared) / math.Sqrt(float64(len(r.q.terms)))
}

// nearBest returns the first facts of ranked whose score is near the best one's.
func (r *ranking) nearBest(ranked []candidate) []candidate {
	n := 0
	for n < len(ranked) && ranked[n].score >= r.w.MinShare*ranked[0].score {
		n++
	}
	return ranked[:n]
}

// severalTypes multiplies the score of a fact whose cues name several of the requested types of work.
const severalTypes = 1.5

// rules returns at most MaxRules memories for a type of work that a prompt asks for, the best first. Words alone would miss them:
// "can we add a test for it" shares few words with "write a regression test". If there are more than usualFacts facts, too many
// name the type: a fact with cues must then also share words with the prompt, and more of them in a larger store.
func (r *ranking) rules(ranked []candidate, asked []workType) []candidate {
	if len(asked) == 0 {
		return nil
	}
	var found []candidate
	least := r.w.MinOverlap * (r.growth() - 1)
	for _, s := range ranked {
		d, named := &r.x.docs[s.slot], 0
		for _, of := range d.work {
			if slices.Contains(asked, of) {
				named++
			}
		}
		if named == 0 || d.size == 0 && r.overlap(s.slot) < least {
			continue
		}
		s.score += r.w.RuleStep * stepOf(&d.entry.Memory)
		if named > 1 {
			s.score *= severalTypes
		}
		found = append(found, s)
	}
	slices.SortFunc(found, r.x.compare)
	return found[:min(len(found), r.w.MaxRules)]
}

// The user's own words have no cues. They fit a prompt if they are unlikely to share as many words with it by chance.

const (
	// leastSubjects is the minimum number of words in a prompt that name its subject.
	leastSubjects = 2
	// A question with shortLeast to shortMost such words also fits a memory that has most of them.
	shortLeast, shortMost = 3, 12
)

// isSurprising reports whether a memory without cues shares more with a query than chance explains, or has most of a short question. surprise is the sum of the
// inverse document frequencies of the shared words, less some logarithms: those of the number of offered memories, of the number of ways to choose that many
// words of the query and, for each shared word, of the length of a long memory relative to the average.
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
