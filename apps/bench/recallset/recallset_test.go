package recallset_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/recallset"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

const memories = `{"id":"a","session":"s1","created_at":"2026-01-05T09:00:00Z","content":"the staging database listens on port 6543"}
{"id":"b","session":"s1","created_at":"2026-01-05T09:00:00Z","content":"labels are printed in Hamburg"}
{"id":"c","session":"s2","created_at":"2026-01-06T09:00:00Z","content":"the ledger is closed on Fridays","files":["ledger.go"]}
`

func write(t *testing.T, dir, memories, queries string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"memories.jsonl": memories, "queries.jsonl": queries} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLoadAndMeasure(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "one"), memories, `{"id":"q1","query":"staging database port","evidence":["a"],"category":1,"half":"tune"}
{"id":"q2","query":"why is the sky blue","evidence":[],"category":"unrelated","half":"check"}`)
	write(t, filepath.Join(dir, "two"), memories, `{"id":"q1","query":"open ledger.go","evidence":["c"],"category":"file"}`)
	sets, err := recallset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(sets) != 2 || sets[0].Name != "one" || sets[1].Name != "two" {
		t.Fatalf("loaded %+v", sets)
	}
	r := recallset.MeasureAll(sets, recall.DefaultWeights())
	if r.Memory.Queries != 2 || r.Memory.Recall1 != 1 || r.Session.MRR != 1 || r.Unrelated != 1 || r.Answered != 0 {
		t.Errorf("measured %+v", r)
	}
	if r.Categories["1"].Queries != 1 || r.Categories["file"].Hit5 != 1 {
		t.Errorf("categories %+v", r.Categories)
	}
	if half := sets[0].Half("check"); len(half.Queries) != 1 || half.Queries[0].ID != "q2" {
		t.Errorf("the checking half is %+v", half.Queries)
	}
}

func TestLoadRefusesWhatWouldMislead(t *testing.T) {
	for want, files := range map[string][2]string{
		"names the memory":     {memories, `{"id":"q","query":"x","evidence":["nobody"]}`},
		"empty or there twice": {memories + memories, `{"id":"q","query":"x","evidence":["a"]}`},
		"value 1":              {memories, `not json`},
		"a category is":        {memories, `{"id":"q","query":"x","evidence":["a"],"category":[]}`},
	} {
		dir := t.TempDir()
		write(t, dir, files[0], files[1])
		if _, err := recallset.Load(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if _, err := recallset.Load(t.TempDir()); err == nil {
		t.Error("an empty folder is loaded")
	}
}

func TestMeasures(t *testing.T) {
	var tally recallset.Tally
	sessions := map[string]string{"a": "s1", "b": "s1", "c": "s2", "x": "s3", "y": "s3"}
	tally.Add(sessions, recallset.Query{Evidence: []string{"a", "c"}}, recallset.Answer{IDs: []string{"x", "y", "a"}, Took: time.Second})
	tally.Add(sessions, recallset.Query{Evidence: []string{"b"}}, recallset.Answer{Took: 3 * time.Second})
	tally.Add(sessions, recallset.Query{}, recallset.Answer{IDs: []string{"x"}, Told: true, Took: 2 * time.Second})
	r := tally.Report()
	for name, v := range map[string][2]float64{
		"recall@1": {r.Memory.Recall1, 0}, "recall@5": {r.Memory.Recall5, 0.25}, "hit@5": {r.Memory.Hit5, 0.5},
		"MRR": {r.Memory.MRR, 1. / 6}, "MRR of sessions": {r.Session.MRR, 0.25}, "hit@1 of sessions": {r.Session.Hit1, 0},
		"answered": {float64(r.Answered), 1}, "worst": {r.Worst.Seconds(), 3}, "p50": {r.P50.Seconds(), 2},
	} {
		if math.Abs(v[0]-v[1]) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, v[0], v[1])
		}
	}
}

// vowels makes a vector of how often each vowel is in a text.
type vowels struct{ asked [][]string }

func (e *vowels) Embed(_ context.Context, texts []string) ([][]float32, error) {
	e.asked = append(e.asked, texts)
	var vectors [][]float32
	for _, text := range texts {
		vector, sum := make([]float32, 5), 0.0
		for i, vowel := range "aeiou" {
			n := float64(strings.Count(text, string(vowel)))
			vector[i], sum = float32(n), sum+n*n
		}
		for i := range vector {
			vector[i] /= float32(math.Sqrt(sum))
		}
		vectors = append(vectors, vector)
	}
	return vectors, nil
}

func TestMeasureWithMeanings(t *testing.T) {
	set := recallset.Set{
		Name: "one",
		Memories: []recallset.Memory{
			{ID: "a", Content: "aaaa bbbb"}, {ID: "edit", Kind: "edit", Content: "oooo cccc"}, {ID: "o", Content: "oooo dddd"},
		},
		Queries: []recallset.Query{{ID: "q", Text: "oo ff gg", Evidence: []string{"o"}}, {ID: "word", Text: "o"}},
	}
	var e vowels
	var times recallset.EmbedTimes
	embeddings, err := set.Embed(t.Context(), &e, 0.5, &times)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.asked) != 2 || len(e.asked[0]) != 2 || e.asked[1][0] != "oo ff gg" {
		t.Errorf("embedded %q, want what the agent would", e.asked)
	}
	times.Summarise(time.Hour)
	if times.Memories != 2 || times.Queries != 1 || times.InTime != 1 || times.Worst < times.P50 {
		t.Errorf("the times are %+v", times)
	}
	if times.Summarise(0); times.InTime != 0 {
		t.Errorf("%d vectors took no time", times.InTime)
	}
	sets := []recallset.Set{set}
	if r := recallset.MeasureAll(sets, recall.DefaultWeights()); r.Memory.Hit1 != 0 {
		t.Errorf("by words: %+v", r.Memory)
	}
	if r := recallset.MeasureWithEmbeddings(sets, []*recallset.Embeddings{embeddings}, recall.DefaultWeights()); r.Memory.Hit1 != 1 || r.Answered != 0 {
		t.Errorf("by embeddings: %+v", r)
	}
}

func TestPlotWritesAPicture(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plot.png")
	err := recallset.Plot(file, "title", []string{"one", "two"}, []recallset.Bars{{Name: "a", Values: []float64{0.5, 0.8}}})
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(content), "\x89PNG") {
		t.Errorf("the plot starts with %.8q, %v", content, err)
	}
}
