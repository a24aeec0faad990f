package recall_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// Explain agrees with Recall, for every memory of every index.
func TestExplainTellsWhatRecallDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := anyEntries(t)
		q := anyQuery(t)
		x := indexOf(entries)
		hits := x.Recall(q)
		places := map[string]int{}
		for i, h := range hits {
			places[h.Memory.ID] = i + 1
		}
		for _, e := range entries {
			got := x.Explain(q, e.Memory.ID)
			place := places[e.Memory.ID]
			switch {
			case got.Rank != place:
				t.Errorf("%s has rank %d, and is explained to have %d (%s)", e.Memory.ID, place, got.Rank, got.Reason)
			case place == 0 && got.Reason == "", place > 0 && got.Reason != "":
				t.Errorf("%s at place %d has the reason %q", e.Memory.ID, place, got.Reason)
			case got.Silent && len(hits) > 0:
				t.Errorf("silent with %d hits", len(hits))
			case place > 0 && !cmp.Equal(recall.Hit{Memory: e.Memory, Score: got.Score, Why: got.Why, Share: hits[place-1].Share}, hits[place-1]):
				t.Errorf("%s is explained as %+v, the hit is %+v", e.Memory.ID, got, hits[place-1])
			}
		}
	})
}

// The parts of a score make it: their sum times the factors.
func TestThePartsMakeTheScore(t *testing.T) {
	x := madeIndex(300)
	v := newVocabulary(7)
	for range 50 {
		for _, h := range x.Recall(recall.Query{Text: v.text(6), Now: epoch, Explain: true}) {
			sum, factor := 0.0, 1.0
			for _, p := range h.Why {
				if strings.HasPrefix(p.Name, "x ") {
					factor *= p.Value
				} else {
					sum += p.Value
				}
			}
			if math.Abs(sum*factor-h.Score) > 1e-5*h.Score {
				t.Fatalf("the parts make %v, the score is %v: %v", sum*factor, h.Score, h.Why)
			}
		}
	}
}

func TestExplainSaysWhyNot(t *testing.T) {
	port := note("port", "the staging database listens on port 5432")
	archived := note("archived", "the staging database lay in Bonn")
	archived.Memory.Status = memory.StatusArchived
	decided := note("decided", "staging database: ask before a migration")
	decided.Memory.Kind = memory.KindDecision
	x := indexOf([]recall.Entry{
		port, archived, decided, note("again", "the staging  database listens on port 5432."),
		note("labels", "labels are printed in Hamburg"), note("weak", "a database"),
	})
	q := recall.Query{Text: "which port does the staging database listen on?", Now: epoch, Kinds: []memory.Kind{memory.KindNote}}
	chatter := recall.Query{Text: "what is for lunch at the port conference?", Now: epoch, Unasked: true}
	unasked := q
	unasked.Unasked = true
	one := q
	one.Limit, one.Text, one.Kinds = 1, "staging database port", nil
	for name, c := range map[string]struct {
		q    recall.Query
		id   string
		says string
	}{
		"not there":   {q, "nobody", "not in the index"},
		"archived":    {q, "archived", "status archived"},
		"other kind":  {q, "decided", "is a decision"},
		"nothing":     {q, "labels", "anything of the query"},
		"same words":  {q, "port", "memory again says the same"},
		"below floor": {unasked, "weak", "35 %"},
		"limit":       {one, "decided", "no more were asked for"},
		"one word":    {recall.Query{Text: "labels", Now: epoch, Unasked: true}, "labels", "too few words"},
		"misfit":      {chatter, "port", "silent: best -"},
	} {
		if e := x.Explain(c.q, c.id); e.Rank != 0 || !strings.Contains(e.Reason, c.says) {
			t.Errorf("%s: %+v, want a reason with %q", name, e, c.says)
		}
	}
	if e := x.Explain(q, "again"); e.Rank != 1 || e.Silent || len(e.Why) == 0 {
		t.Errorf("the hit is explained as %+v", e)
	}
	if e := recall.NewIndex(recall.DefaultWeights()).Explain(q, "port"); !e.Silent || e.Reason == "" {
		t.Errorf("in an empty index: %+v", e)
	}
}
