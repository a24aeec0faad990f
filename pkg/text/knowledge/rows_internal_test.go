package knowledge

import (
	_ "embed"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

//go:embed testdata/corrections.txt
var correctionsText string

// TestEachRowHasItsExamples: each table finds the examples behind "+" of its rows, and not those behind "-".
func TestEachRowHasItsExamples(t *testing.T) {
	states := func(text string) bool {
		found := LastingStatements(text, "")
		return len(found) == 1 && found[0] == text
	}
	asks := func(line string) bool { _, is := directiveOf(line); return is }
	for table, finds := range map[string]func(string) bool{correctionsText: states, lastingText: states, patternsText: states, pronounsText: refersBack, exceptionsText: limiting.MatchString, markersText: asks, rememberText: asks, headingsText: heading.MatchString, everywhereText: SaysEverywhere} {
		for _, row := range language.Rows(table) {
			if len(row.Yes) == 0 || len(row.No) == 0 {
				t.Errorf("line %d, %s: a row needs examples behind + and -", row.Line, row.Columns[0])
			}
			for _, text := range row.Yes {
				if !finds(text) {
					t.Errorf("line %d, %s: %q is not found", row.Line, row.Columns[0], text)
				}
			}
			for _, text := range row.No {
				if finds(text) {
					t.Errorf("line %d, %s: %q is found", row.Line, row.Columns[0], text)
				}
			}
		}
	}
}
