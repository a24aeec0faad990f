package pack_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

func TestLeftoverGoesUpward(t *testing.T) {
	// A heading costs 2 words; each section may spend half of
	// the rest, and the second has nothing to spend it on.
	sections := []pack.Section{{Title: "First", Share: 1, Items: items("a", "b", "c", "d", "e", "f")}, {Title: "Second", Share: 1}}
	packed := pack.Pack(sections, pack.Limits{Tokens: frame + 14, Chars: 10_000}, wordCounter{})
	musttest.Same(t, []string{"- a\n", "- b\n", "- c\n", "- d\n", "- e\n", "- f\n"}, packed.IDs, "packed %d tokens (-want +got)", packed.Tokens)
}

func TestSharesHoldUnderPressure(t *testing.T) {
	sections := []pack.Section{{Title: "First", Share: 3, Items: items("a", "b", "c", "d", "e", "f", "g", "h")}, {Title: "Second", Share: 1, Items: items("s", "t", "u", "v")}}
	packed := pack.Pack(sections, pack.Limits{Tokens: frame + 20, Chars: 10_000}, wordCounter{})
	// 20 words remain: 15 for the first, 5 for the second.
	musttest.Same(t, []string{"- a\n", "- b\n", "- c\n", "- d\n", "- e\n", "- f\n", "- g\n", "- s\n"}, packed.IDs, "packed (-want +got)")
}

func TestAnItemThatDoesNotFitIsSkipped(t *testing.T) {
	sections := []pack.Section{{Title: "Only", Share: 1, Items: items("short", strings.Repeat("long ", 50), "brief")}}
	packed := pack.Pack(sections, pack.Limits{Tokens: frame + 18, Chars: 10_000}, wordCounter{})
	musttest.Same(t, []string{"- short\n", "- brief\n"}, packed.IDs, "packed (-want +got)")
}

func TestNothingFitsIsNothing(t *testing.T) {
	sections := []pack.Section{{Title: "Only", Share: 1, Items: items("a")}}
	for _, limits := range []pack.Limits{{}, {Tokens: frame + 2, Chars: 10_000}, {Tokens: 100, Chars: 20}} {
		if packed := pack.Pack(sections, limits, wordCounter{}); packed.Text != "" || packed.Tokens != 0 {
			t.Errorf("%+v gives %+v", limits, packed)
		}
	}
}

func TestASectionKeepsToItsLines(t *testing.T) {
	section := pack.Section{Title: "T", Share: 1, Lines: 2, Items: items("far too long for so small a budget", "a", "b", "c")}
	packed := pack.Pack([]pack.Section{section}, pack.Limits{Tokens: frame + 8, Chars: 9000}, wordCounter{})
	if want := []string{"- a\n", "- b\n"}; cmp.Diff(want, packed.IDs) != "" {
		t.Errorf("packed %q, want %q", packed.IDs, want)
	}
}
