package recallset_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
}

func TestLoadRefusesWhatWouldMislead(t *testing.T) {
	for want, files := range map[string][2]string{
		"names the memory":     {memories, `{"id":"q","query":"x","evidence":["nobody"]}`},
		"empty or a duplicate": {memories + memories, `{"id":"q","query":"x","evidence":["a"]}`},
		"value 1":              {memories, `not json`},
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
	tally.Add(sessions, recallset.Query{Evidence: []string{"a", "c"}}, recallset.Answer{IDs: []string{"x", "y", "a"}})
	tally.Add(sessions, recallset.Query{Evidence: []string{"b"}}, recallset.Answer{})
	tally.Add(sessions, recallset.Query{}, recallset.Answer{IDs: []string{"x"}, AsPrompt: true})
	r := tally.Report()
	for name, v := range map[string][2]float64{
		"recall@1": {r.Memory.Recall1, 0}, "recall@5": {r.Memory.Recall5, 0.25}, "hit@5": {r.Memory.Hit5, 0.5},
		"MRR": {r.Memory.MRR, 1. / 6}, "MRR of sessions": {r.Session.MRR, 0.25},
		"answered": {float64(r.Answered), 1},
	} {
		if math.Abs(v[0]-v[1]) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, v[0], v[1])
		}
	}
}
