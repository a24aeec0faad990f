package pack_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/pack"
)

// wordCounter counts words, so that a test can compute by hand which items fit.
type wordCounter struct{}

func (wordCounter) Count(text string) int { return len(strings.Fields(text)) }
func (wordCounter) Encoding() string      { return "words" }

// frame is the number of words around the packed lines.
var frame = len(strings.Fields(memory.Preamble)) + 2

func items(lines ...string) []pack.Item {
	var all []pack.Item
	for _, line := range lines {
		line = "- " + line + "\n"
		all = append(all, pack.NewItem(line, line, wordCounter{}))
	}
	return all
}

// A heading costs 2 words, and so does each short item.
func TestSectionsShareTheBudget(t *testing.T) {
	for name, c := range map[string]struct {
		sections []pack.Section
		words    int
		want     string
	}{
		// Each section may spend half of 14, and the second has nothing to spend it on.
		"leftover goes upward": {[]pack.Section{{Title: "First", Share: 1, Items: items("a", "b", "c", "d", "e", "f")}, {Title: "Second", Share: 1}}, 14, "a b c d e f"},
		// 20 words remain: 15 for the first, 5 for the second.
		"shares hold under pressure":           {[]pack.Section{{Title: "First", Share: 3, Items: items("a", "b", "c", "d", "e", "f", "g", "h")}, {Title: "Second", Share: 1, Items: items("s", "t", "u", "v")}}, 20, "a b c d e f g s"},
		"an item that does not fit is skipped": {[]pack.Section{{Title: "Only", Share: 1, Items: items("short", strings.Repeat("long ", 50), "brief")}}, 18, "short brief"},
		"a section keeps to its lines":         {[]pack.Section{{Title: "T", Share: 1, Lines: 2, Items: items("far too long for so small a budget", "a", "b", "c")}}, 8, "a b"},
	} {
		packed := pack.Pack(c.sections, pack.Limits{Tokens: frame + c.words, Chars: 9000}, wordCounter{})
		musttest.Same(t, "- "+strings.ReplaceAll(c.want, " ", "\n- ")+"\n", strings.Join(packed.IDs, ""), "%s: packed %d tokens", name, packed.Tokens)
	}
}

func TestNothingFitsIsNothing(t *testing.T) {
	sections := []pack.Section{{Title: "Only", Share: 1, Items: items("a")}}
	for _, limits := range []pack.Limits{{}, {Tokens: frame + 2, Chars: 10_000}, {Tokens: 100, Chars: 20}} {
		if packed := pack.Pack(sections, limits, wordCounter{}); packed.Text != "" || packed.Tokens != 0 {
			t.Errorf("%+v gives %+v", limits, packed)
		}
	}
}
