package recall_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// near is the result of a search by embeddings, each a little less near than the one before.
func near(ids ...string) []recall.Near {
	var all []recall.Near
	for i, id := range ids {
		all = append(all, recall.Near{ID: id, Share: 0.9 - 0.1*float64(i)})
	}
	return all
}

func TestSharesOfCosines(t *testing.T) {
	found := []memory.Near{{Memory: "same", Similarity: 1.0001}, {Memory: "near", Similarity: 0.7}, {Memory: "just", Similarity: 0.4}, {Memory: "far", Similarity: 0.3}}
	want := []recall.Near{{ID: "same", Share: 1}, {ID: "near", Share: 0.5}, {ID: "just", Share: 0}}
	if diff := cmp.Diff(want, recall.NearAtLeast(0.4, found), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := recall.NearAtLeast(1, found); len(got) > 0 {
		t.Errorf("with nothing near enough: %v", got)
	}
}

func TestVectors(t *testing.T) {
	var v recall.Vectors
	if found := v.Near([]float32{1, 0}, -1); len(found) > 0 || v.Has("a") {
		t.Errorf("without vectors: %v", found)
	}
	v.Add([]memory.Vector{{Memory: "b", Values: []float32{0.6, 0.8}}, {Memory: "a", Values: []float32{1, 0}}, {Memory: "c", Values: []float32{0, 1}}})
	v.Add([]memory.Vector{{Memory: "a", Values: []float32{0, 1}}}) // has one
	want := []memory.Near{{Memory: "a", Similarity: 1}, {Memory: "b", Similarity: 0.6}}
	if diff := cmp.Diff(want, v.Near([]float32{1, 0}, 0.5), cmpopts.EquateApprox(0, 1e-6)); diff != "" || !v.Has("a") {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if found := v.Near([]float32{1, 0, 0}, -1); len(found) > 0 {
		t.Errorf("of another model: %v", found)
	}
}

func TestFusion(t *testing.T) {
	old := note("old", "the ledger lives in Bonn")
	old.SupersededBy = "new"
	decided := note("decided", "no database in Bonn")
	decided.Memory.Kind = memory.KindDecision
	x := indexOf([]recall.Entry{
		note("port", "the staging database listens on port 5432"), note("weak", "staging port of the harbour"), note("labels", "labels are printed in Hamburg"),
		note("twice", "labels are  printed in Hamburg."), old, note("new", "the ledger moved to Kiel"), decided,
	})
	const asks, silent, chat = "which port does the staging database listen on?", "why is the sky blue?", "can you try again?"
	for name, c := range map[string]struct {
		text string
		near []recall.Near
		want []string
	}{
		"words alone":                      {asks, nil, []string{"port", "weak"}},
		"both agree":                       {asks, near("port", "labels"), []string{"port", "weak", "labels"}},
		"an embedding brings in":           {asks, near("labels"), []string{"port", "weak", "labels"}},
		"the words are silent":             {silent, near("labels", "port"), []string{"labels", "port"}},
		"small talk is near to much":       {chat, near("labels", "port"), nil},
		"nothing is near":                  {silent, nil, nil},
		"the near memory is not there":     {silent, near("nobody"), nil},
		"the near memory is not asked for": {silent, near("decided"), nil},
		"the near memory was noted twice":  {silent, near("twice", "labels"), []string{"twice"}},
		"the near memory was superseded":   {silent, near("old"), []string{"new", "old"}},
		"its successor comes first then":   {silent, near("old", "new"), []string{"new", "old"}},
	} {
		hits := x.Recall(recall.Query{Text: c.text, Near: c.near, Now: epoch, Kinds: []memory.Kind{memory.KindNote}})
		if diff := cmp.Diff(append([]string{}, c.want...), ids(hits)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	hits := x.Recall(recall.Query{Text: asks, Near: near("port"), Now: epoch, Explain: true})
	if len(hits) == 0 || hits[0].Memory.ID != "port" || !strings.Contains(hits[0].Why, " + embedding ") {
		t.Errorf("a fused hit is explained by %+v", hits)
	}
}
