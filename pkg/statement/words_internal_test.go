package statement

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
)

// TestEveryListHasItsExamples: each list has the word behind "+", and not that behind "-".
// Opposites make the sentence behind "=>" an update of the other one.
func TestEveryListHasItsExamples(t *testing.T) {
	for name, row := range lists {
		if len(row.Yes) == 0 || len(row.No) == 0 {
			t.Errorf("words.txt:%d: a list needs examples of + and -", row.Line)
		}
		has := func(example string) bool {
			if a, b, is := strings.Cut(example, " => "); is {
				return Compare(a, b).Relation == Update
			}
			return words(name)[example] || language.Pairs(row.Column(1))[example] != ""
		}
		for _, text := range row.Yes {
			if !has(text) {
				t.Errorf("words.txt:%d: %s has no %q", row.Line, name, text)
			}
		}
		for _, text := range row.No {
			if has(text) {
				t.Errorf("words.txt:%d: %s has %q", row.Line, name, text)
			}
		}
	}
}

// TestEachSideOfAnOppositeIsOne: no word is of two opposites.
func TestEachSideOfAnOppositeIsOne(t *testing.T) {
	axes := map[string]string{}
	for _, row := range language.Rows(table) {
		if row.Columns[0] != "opposite" {
			continue
		}
		for word := range strings.FieldsSeq(row.Column(1) + " " + row.Column(2)) {
			if other, is := axes[stemOf(word)]; is && other != row.Column(1) {
				t.Errorf("words.txt:%d: %s is in the opposite %s, too", row.Line, word, other)
			}
			axes[stemOf(word)] = row.Column(1)
		}
	}
}
