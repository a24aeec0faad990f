package facts_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/facts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func TestExplainSaysHowAFactFaresAgainstTheGate(t *testing.T) {
	x := facts.New(facts.DefaultWeights())
	for _, m := range []memory.Memory{
		{ID: "bank", Content: "Payments are never retried by the shop.", Cues: []string{"payment timeout", "card was charged twice"}, Importance: 0.85, LastSeenAt: noon},
		{ID: "map", Content: "The seat map shows one deck at a time.", Cues: []string{"small screens"}, Importance: 0.45, LastSeenAt: noon},
	} {
		x.Put(m)
	}
	asked := "why was the card charged twice?"
	e, has := x.Explain(asked, "bank")
	hits := x.Find(asked, 1)
	if !has || e.Rank != 1 || e.Cue != "card was charged twice" || len(hits) != 1 || e.Score != hits[0].Score || e.Best != e.Score || e.Gate <= 0 {
		t.Errorf("the fact fares as %+v, found is %+v", e, hits)
	}
	if told := len(x.Prompt(asked, false, 1)) == 1; e.Told != told || e.Told != (e.Best > e.Gate) {
		t.Errorf("it is told: %v, but it fares as %+v", told, e)
	}
	if e, has = x.Explain(asked, "map"); !has || e.Rank != 0 || e.Told || e.Cue != "" || e.Best == 0 {
		t.Errorf("another fares as %+v", e)
	}
	if _, has = x.Explain(asked, "nobody"); has {
		t.Error("a fact that is not there is explained")
	}
}
