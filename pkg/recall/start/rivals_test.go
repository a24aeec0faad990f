package start_test

import (
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/start"
)

// Of two facts of an area whose titles differ in one value the younger stands alone, unless a person wants both.
func TestRivalsDifferInAValue(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	fact := func(area, title string, days int) memory.Memory {
		return memory.Memory{ID: title, Project: "p", Kind: memory.KindConvention, Source: memory.SourceAssistant, Title: title, Area: area, LastSeenAt: at.AddDate(0, 0, days)}
	}
	pinned := fact("db", "Staging listens on 5433", 0)
	pinned.Pinned = true
	for name, test := range map[string]struct {
		older, newer memory.Memory
		want         bool
	}{
		"a number":             {fact("db", "Staging listens on 5433", 0), fact("db", "Staging now listens on 6544", 1), true},
		"a literal":            {fact("style", "Start attribute names with 'j_'", 0), fact("style", "Start attribute names with 't_'", 1), true},
		"a quotation":          {fact("style", "Log lines begin with “app one”", 0), fact("style", "Log lines begin with “app two”", 1), true},
		"the same value":       {fact("db", "Staging listens on 5433", 0), fact("db", "Staging always listens on 5433.", 1), false},
		"another subject":      {fact("style", "End variable names with '_w'", 0), fact("style", "End method names with '_o'", 1), false},
		"another area":         {fact("db", "Staging listens on 5433", 0), fact("web", "Staging listens on 6544", 1), false},
		"two values":           {fact("db", "Map port 80 to 8080", 0), fact("db", "Map port 90 to 8080", 1), false},
		"no value":             {fact("db", "Deploy on Fridays only", 0), fact("db", "Deploy on Mondays only", 1), false},
		"too few words":        {fact("db", "Port 5433", 0), fact("db", "Port 6544", 1), false},
		"a pinned one":         {pinned, fact("db", "Staging listens on 6544", 1), false},
		"words beside a value": {fact("db", "Staging listens on 5433", 0), fact("db", "Staging of Oslo listens on 6544", 1), false},
	} {
		facts := []memory.Memory{test.older, test.newer}
		got := start.Rivals(facts)
		if (len(got) == 1) != test.want || test.want && got[test.older.ID] != test.newer.ID {
			t.Errorf("%s: %+v", name, got)
		}
		if c := start.WithBestFacts(memory.StartContext{Facts: facts}, nil); (len(c.Facts) == 1) != test.want {
			t.Errorf("%s: the start has %d facts", name, len(c.Facts))
		}
	}
}
