package english

import (
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// TestEveryListHasItsExamples: each list has the word or the phrase behind "+", and not that
// behind "-".
func TestEveryListHasItsExamples(t *testing.T) {
	for name, row := range lists {
		if len(row.Yes) == 0 || len(row.No) == 0 {
			t.Errorf("lists.txt:%d: a list needs examples of + and -", row.Line)
		}
		has := func(text string) bool {
			return List(name)[text] || slices.Contains(row.List(1), text) || Phrases(name).In(language.Sentence.List(text))
		}
		for _, text := range row.Yes {
			if !has(text) {
				t.Errorf("lists.txt:%d: %s has no %q", row.Line, name, text)
			}
		}
		for _, text := range row.No {
			if has(text) {
				t.Errorf("lists.txt:%d: %s has %q", row.Line, name, text)
			}
		}
		if strings.Contains(row.Column(1), "@") {
			t.Errorf("lists.txt:%d: %s names a list that is not above it", row.Line, name)
		}
	}
}

// TestEveryListHasAPurpose: a comment stands above each list.
func TestEveryListHasAPurpose(t *testing.T) {
	lines := strings.Split(listsText, "\n")
	for name, row := range lists {
		if !strings.HasPrefix(lines[row.Line-2], "# ") {
			t.Errorf("lists.txt:%d: a comment above %s is to say what it is for", row.Line, name)
		}
	}
}
