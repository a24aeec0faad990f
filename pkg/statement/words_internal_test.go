package statement

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
)

// TestOppositesTurnAStatementAround: a statement with the other side of an opposite is an update.
func TestOppositesTurnAStatementAround(t *testing.T) {
	for text, want := range map[string]Relation{"the flag is disabled": Update, "the flag is enabled": Duplicate} {
		if got := Parse("the flag is enabled").Compare(Parse(text)); got.Relation != want {
			t.Errorf("%q is %+v, want %s", text, got, want)
		}
	}
}

// TestEachSideOfAnOppositeIsOne: no word is of two opposites.
func TestEachSideOfAnOppositeIsOne(t *testing.T) {
	axes := map[string]string{}
	for _, sides := range english.Opposites() {
		for _, side := range sides {
			for _, word := range side {
				if other, is := axes[stemOf(word)]; is && other != sides[0][0] {
					t.Errorf("%s is in the opposite %s, too", word, other)
				}
				axes[stemOf(word)] = sides[0][0]
			}
		}
	}
}
