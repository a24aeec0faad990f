package recall

import (
	_ "embed"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
)

// chance is the result of unrelated prompts on this index. A prompt is answered only
// when its surprise exceeds theirs.
type chance struct {
	// known is the share of the words of everyday prompts that the index contains.
	known float64
	// surprise is the 95th percentile of the surprise of such prompts, by the number of
	// topic words; the last element is for all longer prompts.
	surprise []float64
	memories int // in the index at the calibration
}

// The defaults of an index that was not calibrated.
var uncalibrated = chance{known: 0.6, surprise: []float64{1.5}}

// of is the threshold for a query with this number of topic words.
func (c *chance) of(topics int) float64 {
	return c.surprise[min(topics, len(c.surprise)-1)]
}

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

// Calibrate measures the surprise of unrelated prompts on the index, as SamplePrompts
// makes them. Each prompt takes about a millisecond; the index answers other queries
// meanwhile.
func (x *Index) Calibrate(prompts []string) {
	known := x.knownShare(prompts)
	type point struct {
		topics   int
		surprise float64
	}
	points := make([]point, 0, len(prompts))
	for _, text := range prompts {
		x.ask(Query{Text: text, Limit: DefaultLimit}, func(r *ranking) {
			v := r.surprises(r.best(), known)
			points = append(points, point{r.topics, v})
		})
	}
	if len(points) == 0 {
		return
	}
	slices.SortFunc(points, func(a, b point) int { return a.topics - b.topics })
	c := chance{known: known, memories: x.Len(), surprise: make([]float64, points[len(points)-1].topics+1)}
	for topics := range c.surprise {
		at, _ := slices.BinarySearchFunc(points, topics, func(p point, n int) int { return p.topics - n })
		from := max(min(at-chanceWindow/2, len(points)-chanceWindow), 0)
		window := points[from:min(from+chanceWindow, len(points))]
		values := make([]float64, len(window))
		for i, p := range window {
			values[i] = p.surprise
		}
		slices.Sort(values)
		c.surprise[topics] = values[min(int(chanceShare*float64(len(values))), len(values)-1)]
	}
	x.chance.Store(&c)
}

// Calibrated says whether the index has been calibrated and its size has changed by at
// most a quarter since.
func (x *Index) Calibrated() bool {
	c := x.chance.Load()
	n := x.Len()
	return c != nil && 4*max(c.memories-n, n-c.memories) <= c.memories
}

// knownShare is the share of the prompts' words that the index contains.
func (x *Index) knownShare(prompts []string) float64 {
	topics, unknown := 0, 0
	for _, text := range prompts[:min(len(prompts), len(everydayPrompts()))] {
		x.ask(Query{Text: text}, func(r *ranking) {
			r.lookUp()
			topics += r.topics
			unknown += r.unknown
		})
	}
	return 1 - float64(unknown)/float64(max(topics, 1))
}

// isCompound tells whether a word is a path or an identifier of several words. All of
// its words occur in the memory it comes from, so they are not independent.
func isCompound(word string) bool { return len(english.Tokenize(word)) > 1 }

//go:embed everyday.txt
var everydayText string

func everydayPrompts() []string { return strings.Split(strings.TrimSpace(everydayText), "\n") }

// SamplePrompts makes prompts unrelated to the project: everyday prompts, several of
// them in a row, and everyday words mixed with words of the index's memories, each word
// of another memory. The same memories make the same prompts.
func (x *Index) SamplePrompts() []string {
	const each = 30
	everyday := everydayPrompts()
	prompts := slices.Clone(everyday)
	random := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // a sample, no secret
	for _, sentences := range []int{2, 4, 8} {
		for range each {
			var parts []string
			for range sentences {
				parts = append(parts, everyday[random.IntN(len(everyday))])
			}
			prompts = append(prompts, strings.Join(parts, ". "))
		}
	}
	memories := x.contents()
	order := make([]int, len(memories)) // one for all prompts: a large index has 100,000
	wordOf := func(text string) string {
		words := slices.DeleteFunc(strings.Fields(text), isCompound)
		if len(words) == 0 {
			return ""
		}
		return words[random.IntN(len(words))]
	}
	for _, length := range []int{4, 8, 12, 20, 40, 80} {
		for range each {
			var words []string
			permute(random, order)
			own := order[:min(length/2, len(order)/4)] // with few memories, two words would come from the same one
			for _, at := range own {
				words = append(words, wordOf(memories[at]))
			}
			for len(words) < length {
				words = append(words, wordOf(everyday[random.IntN(len(everyday))]))
			}
			prompts = append(prompts, strings.Join(words, " "))
		}
	}
	return prompts
}

// contents are the texts of all memories, in the order of their ids.
func (x *Index) contents() []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	ids := slices.Sorted(maps.Keys(x.slots))
	contents := make([]string, len(ids))
	for i, id := range ids {
		contents[i] = x.docs[x.slots[id]].entry.Memory.Content
	}
	return contents
}

// permute makes a slice the result of random.Perm.
func permute(random *rand.Rand, order []int) {
	for i := range order {
		order[i] = i
	}
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
}
