package start

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// The worth of a fact at a start; docs/lab/facts.md has the measurements. Its importance
// doubles with each step, and all but factStanding of it halves in factHalfLife active
// days.
const (
	factHalfLife   = 3
	factStanding   = 0.1
	factEverywhere = 2.0 // added for one that nearly every session needs
	factOpen       = 1.5 // times, for work that was left open
)

// mostStartFacts bounds the facts that a start chooses from: more than fit into any
// budget.
const mostStartFacts = 100

// WithBestFacts keeps the facts worth most at a start, the best first, and names the
// topics of all.
func WithBestFacts(c memory.StartContext) memory.StartContext {
	c.FactCount, c.Topics = len(c.Facts), topics(c.Facts)
	facts := newOrder(c).facts(c.Facts)
	c.Facts = facts[:min(len(facts), mostStartFacts)]
	return c
}

// facts orders facts by their worth for the room that they take.
func (o order) facts(all []memory.Memory) []memory.Memory {
	worth := make(map[string]float64, len(all))
	for _, m := range all {
		worth[m.ID] = o.worthOfFact(m) / math.Sqrt(float64(len(m.Content)+1))
	}
	return slices.SortedStableFunc(slices.Values(all), func(a, b memory.Memory) int {
		return cmp.Or(cmp.Compare(worth[b.ID], worth[a.ID]), b.LastSeenAt.Compare(a.LastSeenAt), strings.Compare(a.ID, b.ID))
	})
}

func (o order) worthOfFact(m memory.Memory) float64 {
	step := memory.FactImportance(2) - memory.FactImportance(1)
	worth := math.Exp2((m.Importance - memory.FactImportance(1)) / step)
	if m.Everywhere {
		worth += factEverywhere
	}
	if m.Kind == memory.KindTodo {
		worth *= factOpen
	}
	if m.Pinned {
		return worth
	}
	return worth * (factStanding + (1-factStanding)*math.Exp2(-float64(o.age(m))/factHalfLife))
}

// factSection lists facts. Its title names the source of most of them, so that only the
// others are marked.
func factSection(facts []memory.Memory, share float64, counter tokens.Counter) pack.Section {
	byUser := 0
	for _, m := range facts[:min(len(facts), sharedLines)] {
		if m.RestsOnUser() {
			byUser++
		}
	}
	usually, of := 2*byUser >= min(len(facts), sharedLines), "assistant"
	if usually {
		of = "user"
	}
	s := pack.Section{Title: "Facts that a model wrote of earlier sessions, from the " + of + "'s words unless marked", Share: share}
	for _, m := range facts {
		s.Items = append(s.Items, pack.NewItem(m.ID, render.FactLine(m, usually), counter))
	}
	return s
}

// mostTopics bounds the topics that a start names.
const mostTopics = 12

// topicItems is the line that names the topics of the facts.
func topicItems(c memory.StartContext, counter tokens.Counter) []pack.Item {
	if len(c.Topics) == 0 {
		return nil
	}
	line := render.Item(fmt.Sprintf("recall_memories finds %d facts in all, on ", c.FactCount), strings.Join(c.Topics, ", "))
	return []pack.Item{pack.NewItem("topics", line, counter)}
}

// cueSplitter keeps identifiers whole.
var cueSplitter = language.Splitter{Joints: "_"}

// topics are the words that several facts have in their cues, the most frequent first.
func topics(facts []memory.Memory) []string {
	const several = 3
	words, count := map[string]string{}, map[string]int{}
	for _, m := range facts {
		seen := map[string]bool{}
		for _, word := range cueSplitter.List(strings.Join(m.Cues, " ")) {
			stem := english.Stem(word)
			if len(word) < several || english.IsStopWord(word) || english.OpensPrompt(stem) || seen[stem] {
				continue
			}
			seen[stem] = true
			count[stem]++
			if known := words[stem]; known == "" || len(word) < len(known) {
				words[stem] = word
			}
		}
	}
	var stems []string
	for stem, n := range count {
		if n >= several {
			stems = append(stems, stem)
		}
	}
	slices.SortFunc(stems, func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	stems = stems[:min(len(stems), mostTopics)]
	for i, stem := range stems {
		stems[i] = words[stem]
	}
	return stems
}
