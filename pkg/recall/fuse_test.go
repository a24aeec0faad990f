package recall_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// near is what a search by meaning found.
func near(ids ...string) []recall.Near {
	var all []recall.Near
	for _, id := range ids {
		all = append(all, recall.Near{ID: id, Similarity: 0.9})
	}
	return all
}

func TestFusion(t *testing.T) {
	old := note("old", "the ledger lives in Bonn")
	old.SupersededBy = "new"
	archived := note("archived", "the vault lives in Bonn")
	archived.Memory.Status = memory.StatusArchived
	decided := note("decided", "no database in Bonn")
	decided.Memory.Kind = memory.KindDecision
	x := indexOf([]recall.Entry{
		note("port", "the staging database listens on port 5432"), note("weak", "staging port of the harbour"), note("labels", "labels are printed in Hamburg"),
		note("twice", "labels are  printed in Hamburg."), old, note("new", "the ledger moved to Kiel"), archived, decided,
	})
	const asks, silent = "which port does the staging database listen on?", "why is the sky blue?"
	for name, c := range map[string]struct {
		text string
		near []recall.Near
		want []string
	}{
		"words alone":                    {asks, nil, []string{"port", "weak"}},
		"both agree":                     {asks, near("port", "labels"), []string{"port", "labels", "weak"}},
		"near both is before near one":   {asks, near("weak", "labels"), []string{"weak", "port", "labels"}},
		"the words are silent":           {silent, near("labels", "port"), []string{"labels", "port"}},
		"nothing is near":                {silent, nil, nil},
		"what is near is not there":      {silent, near("nobody"), nil},
		"what is near is put away":       {silent, near("archived"), nil},
		"what is near is not asked for":  {silent, near("decided"), nil},
		"what is near was noted twice":   {silent, near("twice", "labels"), []string{"twice"}},
		"what is near was superseded":    {silent, near("old"), []string{"new", "old"}},
		"its successor comes first then": {silent, near("old", "new"), []string{"new", "old"}},
	} {
		hits := x.Recall(recall.Query{Text: c.text, Near: c.near, Now: epoch, Kinds: []memory.Kind{memory.KindNote}})
		if diff := cmp.Diff(append([]string{}, c.want...), ids(hits)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if e := x.Explain(recall.Query{Text: asks, Near: near("port"), Now: epoch}, "port"); e.Rank != 1 || len(e.Why) != 2 {
		t.Errorf("a fused hit is explained by %+v", e)
	}
	if e := x.Explain(recall.Query{Text: silent, Near: near("port"), Now: epoch}, "labels"); e.Rank != 0 || e.Reason == "" || e.Silent {
		t.Errorf("a fused miss is explained by %+v", e)
	}
}
