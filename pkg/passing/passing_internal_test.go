package passing

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/rows"
)

// TestEveryRowDoesWhatItsExamplesSay: a sentence behind "+" passes by its row, one behind
// "-" by none.
func TestEveryRowDoesWhatItsExamplesSay(t *testing.T) {
	for _, row := range rows.Read(table) {
		if len(row.List(1)) == 0 || len(row.Yes) == 0 || len(row.No) == 0 {
			t.Errorf("states.txt:%d: a row needs phrases and examples of + and -", row.Line)
		}
		own := language.NewPhrases(row.List(1)...)
		for _, text := range row.Yes {
			if !own.In(splitter.List(text), 0) {
				t.Errorf("states.txt:%d: %q is not found by its row", row.Line, text)
			}
		}
		for _, text := range row.No {
			if states(text) {
				t.Errorf("states.txt:%d: %q passes", row.Line, text)
			}
		}
	}
}
