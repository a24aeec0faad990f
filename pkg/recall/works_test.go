package recall

import (
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// TestEveryTypeOfWorkMatchesItsExamples: a text behind "+" asks for the work, or names it behind "rule: "; a
// text behind "-" does not.
func TestEveryTypeOfWorkMatchesItsExamples(t *testing.T) {
	for _, row := range language.Rows(worksTable) {
		if strings.HasPrefix(row.Columns[0], "@") {
			continue
		}
		if len(row.Yes) == 0 || len(row.No) == 0 {
			t.Errorf("works.txt:%d: a type needs examples of + and -", row.Line)
		}
		has := func(example string) bool {
			text, isRule := strings.CutPrefix(example, "rule: ")
			if isRule {
				return slices.Contains(workNamed(text), workType(row.Columns[0]))
			}
			return slices.Contains(workAsked(text), workType(row.Columns[0]))
		}
		for _, text := range row.Yes {
			if !has(text) {
				t.Errorf("works.txt:%d: %q is not of the type", row.Line, text)
			}
		}
		for _, text := range row.No {
			if has(text) {
				t.Errorf("works.txt:%d: %q is of the type", row.Line, text)
			}
		}
	}
}
