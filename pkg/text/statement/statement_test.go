package statement_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/statement"
)

const pairsFile = "../../../testdata/near-duplicates/pairs.jsonl"

// TestNearDuplicates measures Same on pairs that a person judged.
func TestNearDuplicates(t *testing.T) {
	file := musttest.Get(os.Open(pairsFile))(t)
	defer func() { _ = file.Close() }()
	pairs, hits, falseHits, misses := 0, 0, 0, 0
	for scanner := bufio.NewScanner(file); scanner.Scan(); pairs++ {
		var p struct{ A, B, Label, Category string }
		if err := json.Unmarshal(scanner.Bytes(), &p); err != nil {
			t.Fatalf("pair %d: %v", pairs+1, err)
		}
		a, b := statement.Parse(p.A), statement.Parse(p.B)
		same := a.Same(b)
		musttest.Same(t, same, b.Same(a), "not symmetric: %s | %s", p.A, p.B)
		switch isDuplicate := p.Label == "duplicate"; {
		case same && isDuplicate:
			hits++
		case same:
			falseHits++
			t.Logf("%s, %s\n  %s\n  %s", p.Category, p.Label, p.A, p.B)
		case isDuplicate:
			misses++
		}
	}
	precision, found := float64(hits)/float64(hits+falseHits), float64(hits)/float64(hits+misses)
	t.Logf("%d pairs: precision %.3f, recall %.3f", pairs, precision, found)
	if pairs < 400 || precision < 0.98 || found < 0.3 {
		t.Errorf("%d pairs: precision %.3f, recall %.3f of duplicates; want 400, 0.98 and 0.3", pairs, precision, found)
	}
}

// TestSimilarTextsShareAGuard: texts that are the same have equal guards, and a text is the same as itself.
func TestSimilarTextsShareAGuard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-z]{3,8} ){4,12}`).Draw(t, "text")
		a, b := statement.Parse(text), statement.Parse(text+" please")
		musttest.Same(t, b.Guard, a.Guard, "%q has another guard than with a word that adds nothing", text)
		musttest.Same(t, a.Same(a), a.Same(b), "%q is not the same with a word that adds nothing", text)
	})
}

// TestValuesAndNegationsMustAgree: similar texts with another number, name or negation are not the same.
func TestValuesAndNegationsMustAgree(t *testing.T) {
	for _, pair := range [][2]string{
		{"the staging database listens on port 5433", "the staging database listens on port 6544"},
		{"begin each variable name of a loop with 'x_'", "begin each variable name of a loop with 'y_'"},
		{"release branches are merged into main by hand", "release branches are not merged into main by hand"},
		{"the worker calls the scheduler before the gateway starts", "the scheduler calls the worker before the gateway starts"},
	} {
		if statement.Parse(pair[0]).Same(statement.Parse(pair[1])) {
			t.Errorf("the same: %q", pair)
		}
	}
}
