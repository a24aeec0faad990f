package recall_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// vocabulary draws words as texts use them: few of them most of the time.
type vocabulary struct{ zipf *rand.Zipf }

func newVocabulary(seed uint64) vocabulary {
	return vocabulary{rand.NewZipf(rand.New(rand.NewPCG(seed, 1)), 1.1, 30, 30_000)}
}

func (v vocabulary) text(words int) string {
	text := make([]string, words)
	for i := range text {
		text[i] = word(v.zipf.Uint64())
	}
	return strings.Join(text, " ")
}

// word spells a number in syllables, so that it stems and splits like a word.
func word(n uint64) string {
	const syllables = "babedoguhikalemonuparesitovuwaxyzefiko"
	var spelled strings.Builder
	for n += 40; n > 0; n /= 19 {
		spelled.WriteString(syllables[2*(n%19) : 2*(n%19)+2])
	}
	return spelled.String()
}

var epoch = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// madeEntry is a memory of a made-up project: sessions of 40, 18 words, a file.
func madeEntry(v vocabulary, i int) recall.Entry {
	at := epoch.Add(time.Duration(i) * 7 * time.Minute)
	return recall.Entry{
		Memory: memory.Memory{
			ID: fmt.Sprintf("m%06d", i), Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic,
			Kind: memory.KindNote, Status: memory.StatusActive, Content: v.text(18), Importance: 0.5,
			CreatedAt: at, LastSeenAt: at, Session: fmt.Sprint("s", i/40), Files: []string{fmt.Sprintf("pkg/%s/%s.go", v.text(1), v.text(1))},
		},
	}
}

func madeIndex(n int) *recall.Index {
	x := recall.NewIndex(recall.DefaultWeights())
	v := newVocabulary(1)
	for i := range n {
		x.Put(madeEntry(v, i))
	}
	return x
}

func BenchmarkRecall(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x := madeIndex(n)
			v := newVocabulary(2)
			var times []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				q := recall.Query{Text: v.text(10)}
				start := time.Now()
				x.Recall(q)
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// BenchmarkMemory reports the size of an index beyond the memories themselves.
func BenchmarkMemory(b *testing.B) {
	const n = 10_000
	for b.Loop() {
		v := newVocabulary(1)
		entries := make([]recall.Entry, n)
		for i := range entries {
			entries[i] = madeEntry(v, i)
		}
		before := heap()
		x := recall.NewIndex(recall.DefaultWeights())
		for _, e := range entries {
			x.Put(e)
		}
		b.ReportMetric(float64(heap()-before)/n, "bytes/memory")
		runtime.KeepAlive(x)
		runtime.KeepAlive(entries)
	}
}

func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// BenchmarkPrompt asks a project of 10,000 facts.
func BenchmarkPrompt(b *testing.B) {
	subjects := strings.Fields("export invoice guest account carrier street ledger price migration ticket queue worker cache session token deploy region schema index retry")
	x := recall.NewIndex(recall.DefaultWeights())
	for i := range 10_000 {
		of := func(n int) string { return subjects[(i/n+n)%len(subjects)] }
		offer(x, memory.Memory{
			ID: fmt.Sprintf("%032d", i), Kind: memory.KindConvention, Importance: memory.FactImportance(1 + i%3),
			Content: fmt.Sprintf("The %s of the %s must never touch the %s, because number %d is read by the %s.", of(1), of(20), of(400), i, of(7)),
			Cues:    []string{of(1) + " " + of(20) + " fails", "change the " + of(400), fmt.Sprintf("pkg/%s/%s%d.go", of(7), of(1), i)},
		})
	}
	for b.Loop() {
		x.Prompt("why does the export of the guest account fail since the ledger migration touches the price?", false, 40)
	}
}

// BenchmarkAlike is of 10,000 memories of one form, such as a table that was imported: each word of a text stands in all
// of them, or in one.
func BenchmarkAlike(b *testing.B) {
	const n = 10_000
	alike := func(i int) memory.Memory {
		at := epoch.Add(time.Duration(i) * time.Minute)
		return memory.Memory{
			ID: fmt.Sprintf("m%06d", i), Project: "p", Kind: memory.KindConvention, Status: memory.StatusActive, Source: memory.SourceUser,
			Importance: 0.5, Session: fmt.Sprint("s", i/40), CreatedAt: at, LastSeenAt: at,
			Content: fmt.Sprintf("service %d of the billing team listens on port %d of the host b%d", i, 4000+i, i%50),
		}
	}
	x := recall.NewIndex(recall.DefaultWeights())
	for i := range n {
		offer(x, alike(i))
	}
	const question = "on which port does service 17 of the billing team listen?"
	paste := strings.Repeat("service 17 of the billing team listens on port 4017, and nobody may change that before the release of the gateway. ", 70)
	for name, do := range map[string]func(i int){
		"put":         func(i int) { offer(x, alike(i%n)) },
		"prompt":      func(int) { x.Prompt(question, false, 3) },
		"long prompt": func(int) { x.Prompt(paste, false, 3) },
		"question":    func(int) { x.Recall(recall.Query{Text: question}) },
	} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				do(i)
			}
		})
	}
}
