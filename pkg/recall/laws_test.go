package recall_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// offer puts a memory that may be given where nobody asks.
func offer(x *recall.Index, m memory.Memory) { x.Put(recall.Entry{Memory: m, Offered: true}) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// ungated are the weights without a gate: each fact that shares a word is a hit.
func ungated() recall.Weights {
	w := recall.DefaultWeights()
	w.QuestionScore, w.MinOverlap, w.PromptScore, w.MinShare = -1, -1, -1, 0
	return w
}

var words = strings.Fields("export guests account session join query table invoice refund retry payment pay/client.go make --fast " +
	"SELECT_ALL colour Grüße 日本語 tests import slow index rebuild 120 v1.2.3 never")

// sentence draws words, some of them twice.
func sentence(t *rapid.T, label string, most int) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, most).Draw(t, label), " ")
}

// fact draws a fact with an id of few, so that some replace others.
func fact(t *rapid.T) memory.Memory {
	m := memory.Memory{
		ID: fmt.Sprint("id", rapid.IntRange(0, 9).Draw(t, "id")), Project: "p", Kind: memory.KindConvention, Status: memory.StatusActive,
		Tags: []string{memory.TagModel}, Content: sentence(t, "content", 12), Detail: sentence(t, "detail", 8),
		Importance: memory.FactImportance(rapid.IntRange(1, 3).Draw(t, "weight")), LastSeenAt: noon.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "minutes")) * time.Minute),
	}
	for i := range rapid.IntRange(0, 5).Draw(t, "cues") {
		m.Cues = append(m.Cues, sentence(t, fmt.Sprint("cue ", i), 4))
	}
	return m
}

// answers are the contents of an index, and its hits for some queries.
func answers(x *recall.Index, queries []string) (all []string) {
	held := x.Memories()
	slices.SortFunc(held, func(a, b memory.Memory) int { return strings.Compare(a.ID, b.ID) })
	for _, m := range held {
		all = append(all, fmt.Sprintf("holds %+v", m))
	}
	for _, q := range queries {
		for _, hit := range append(x.Explain(q, false, 100), x.Prompt(q, true, 3)...) {
			all = append(all, fmt.Sprintf("%q finds %s with %.9f: %v, %s", q, hit.Memory.ID, hit.Score, hit.Fits, hit.Why))
		}
	}
	return all
}

// Whatever was put, replaced and removed before: an index answers from its present content.
func TestAPromptDependsOnThePresentContentAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, held := recall.NewIndex(ungated()), map[string]memory.Memory{}
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			m := fact(t)
			if rapid.IntRange(0, 3).Draw(t, "remove") == 0 {
				x.Remove(m.ID)
				delete(held, m.ID)
				continue
			}
			offer(x, m)
			held[m.ID] = m
		}
		var left []memory.Memory
		for i := range 10 {
			if m, has := held[fmt.Sprint("id", i)]; has {
				left = append(left, m)
			}
		}
		fresh := recall.NewIndex(ungated())
		for _, m := range rapid.Permutation(left).Draw(t, "order") {
			offer(fresh, m)
		}
		queries := []string{sentence(t, "query", 6), sentence(t, "question", 6) + "?", "what about " + sentence(t, "what", 3) + "?"}
		if diff := cmp.Diff(answers(fresh, queries), answers(x, queries)); diff != "" {
			t.Fatalf("-made at once +changed:\n%s", diff)
		}
	})
}

// A fact that shares no word with a query is no hit of it, and once it is removed every
// score is as before. (While it is there, rare words are rarer, so scores move.)
func TestAFactWithoutAWordOfTheQueryIsNoHit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := recall.NewIndex(ungated())
		for range rapid.IntRange(1, 8).Draw(t, "facts") {
			offer(x, fact(t))
		}
		queries := []string{sentence(t, "query", 6), sentence(t, "question", 6) + "?"}
		before := answers(x, queries)
		offer(x, memory.Memory{ID: "stranger", Content: "zebra quagga okapi", Detail: "gnu", Cues: []string{"savanna", "zoo gate"}, Importance: 0.85, LastSeenAt: noon.Add(time.Hour)})
		if with := answers(x, queries); len(with) != len(before)+1 { // it is held
			t.Fatalf("with a fact without any of their words: %q", with)
		}
		x.Remove("stranger")
		if diff := cmp.Diff(before, answers(x, queries)); diff != "" {
			t.Fatalf("-before +after:\n%s", diff)
		}
	})
}

// The words of a cue that are only in that cue find the fact, with the gate that ships.
func TestAFactIsFoundByItsCueAlone(t *testing.T) {
	x := recall.NewIndex(recall.DefaultWeights())
	for i := range 30 {
		offer(x, memory.Memory{ID: fmt.Sprint("other", i), Content: fmt.Sprintf("Screen %d shows one deck at a time, because people get lost.", i), Cues: []string{"seat map", "small screens"}, Importance: 0.65, LastSeenAt: noon})
	}
	offer(x, memory.Memory{
		ID: "bank", Content: "Payments are never retried by the shop, because the bank retries them itself.",
		Cues: []string{"card was charged twice", "retry failed payment"}, Importance: 0.85, LastSeenAt: noon,
	})
	for prompt, want := range map[string]bool{
		"a customer's card was charged twice, can you look into it": true,
		"why is a card charged twice?":                              true,
		"fix the typo in the readme":                                false,
		"yes":                                                       false,
		"":                                                          false,
	} {
		hits := x.Prompt(prompt, false, 3)
		if is := len(hits) > 0 && hits[0].Fits; is != want || is && hits[0].Memory.ID != "bank" {
			t.Errorf("%q is given %+v", prompt, hits)
		}
	}
}

// Any text may be a fact, a cue or a prompt.
func FuzzIndex(f *testing.F) {
	f.Add("Exports never join.", "the user's words", "export guests", "why does the export join?")
	f.Add("日本語の文字", "", "a/b/c.go", "a/b/c.go")
	f.Add("\x00\xff", "```", "--flag=\u200d", "////....----")
	f.Add(strings.Repeat("a_b.c-", 300), "\n\n", "/", strings.Repeat("x/", 5000))
	f.Fuzz(func(t *testing.T, content, detail, cue, prompt string) {
		for _, w := range []recall.Weights{recall.DefaultWeights(), ungated()} {
			x := recall.NewIndex(w)
			offer(x, memory.Memory{ID: "a", Content: content, Detail: detail, Cues: []string{cue, prompt}, Importance: 0.65})
			offer(x, memory.Memory{ID: "b", Content: prompt, Cues: []string{"", content}})
			for _, isTask := range []bool{false, true} {
				for _, hit := range x.Prompt(prompt, isTask, 2) {
					if math.IsNaN(hit.Score) || math.IsInf(hit.Score, 0) || hit.Score < 0 {
						t.Errorf("%q scores %v for %q", hit.Memory.ID, hit.Score, prompt)
					}
				}
			}
			x.Remove("b")
			x.Remove("a")
			x.Remove("a")
			if x.Len() != 0 || len(x.Memories()) != 0 || len(x.Prompt(prompt, true, 2)) != 0 {
				t.Error("an emptied index holds something")
			}
		}
	})
}

// The words of a fact become rarer as facts about other things are added. A prompt that touches the fact gets nothing in the end
// either, and one that names its cue gets it in any store. One that names its type of work among much else gets it in a small store alone.
func TestOtherFactsDoNotMakeAFactFit(t *testing.T) {
	x := recall.NewIndex(recall.DefaultWeights())
	offer(x, memory.Memory{
		ID: "quota", Content: "Cancelled seats return to the quota of the carrier, never to the pool; a quota is closed by hand.",
		Cues: []string{"quota", "quota is wrong", "cancel a booking"}, Importance: 0.65, LastSeenAt: noon,
	})
	offer(x, memory.Memory{ID: "broker", Content: "The slow suite needs the container of the broker.", Cues: []string{"regression test"}, Importance: 0.65, LastSeenAt: noon})
	facts := 2
	for _, size := range []int{250, 1000, 4000} {
		for ; facts < size; facts++ {
			offer(x, memory.Memory{ID: fmt.Sprint("other", facts), Content: fmt.Sprintf("The nightly job writes report r%d and total t%d.", facts, facts), Cues: []string{fmt.Sprintf("report r%d", facts)}, Importance: 0.65, LastSeenAt: noon})
		}
		for prompt, most := range map[string]int{
			"rename the quota page, and close the pool":                                                                  0,
			"somebody can cancel a booking twice, and then the quota is wrong":                                           4000,
			"can you add a regression test":                                                                              4000,
			"the label of the button is too long, shorten it, move the icon to the left of the text, and then add tests": 250,
		} {
			musttest.Same(t, size <= most, len(x.Prompt(prompt, false, 3)) > 0, "%q, %d facts: given: %+v", prompt, size, x.Explain(prompt, false, 1))
		}
	}
}

// TestTheNumberDecidesAmongFactsOfOneForm asks for one of forty notes that differ in their numbers alone.
func TestTheNumberDecidesAmongFactsOfOneForm(t *testing.T) {
	x := recall.NewIndex(recall.DefaultWeights())
	for n := range 40 {
		offer(x, memory.Memory{ID: fmt.Sprint("m", n), Kind: memory.KindNote, Content: fmt.Sprintf("service %d listens on port %d.", n, 7000+n), LastSeenAt: time.Date(2026, 11, 20, 0, 0, -n, 0, time.UTC)})
	}
	for _, n := range []int{7, 12, 39} {
		hits := x.Prompt(fmt.Sprintf("Which port does service %d listen on?", n), false, 3)
		if want := fmt.Sprint("m", n); len(hits) == 0 || !hits[0].Fits || hits[0].Memory.ID != want {
			t.Errorf("%d: %+v, want %s first", n, hits, want)
		}
	}
}
