package knowledge

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
)

// TestEveryPassingRowMatchesItsExamples: a sentence behind "+" passes by its row, one behind
// "-" by none.
func TestEveryPassingRowMatchesItsExamples(t *testing.T) {
	for _, row := range language.Rows(passingText) {
		if len(row.List(1)) == 0 || len(row.Yes) == 0 || len(row.No) == 0 {
			t.Errorf("passing.txt:%d: a row needs phrases and examples of + and -", row.Line)
		}
		own := language.NewPhrases(row.List(1)...)
		for _, text := range row.Yes {
			if !own.In(language.Clauses.List(text), 0) {
				t.Errorf("passing.txt:%d: %q is not found by its row", row.Line, text)
			}
		}
		for _, text := range row.No {
			if isState(text) {
				t.Errorf("passing.txt:%d: %q passes", row.Line, text)
			}
		}
	}
}
