package recall

import (
	_ "embed"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
)

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
