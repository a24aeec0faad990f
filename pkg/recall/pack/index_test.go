package pack_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/tokens"
)

// indexed is a section of facts of two areas; each has a text of five words and a name of two.
func indexed(n, full int) pack.Section {
	s := pack.Section{Title: "Facts", Share: 1, Index: &pack.Index{Title: "Names", Full: full, Areas: []memory.Area{{Name: "new"}, {Name: "old"}}}}
	for i := range n {
		line := fmt.Sprintf("- id%d fact %d in full\n", i, i)
		item := pack.NewItem(fmt.Sprint("id", i), line, wordCounter{})
		item.Name, item.Area = fmt.Sprintf("id%d title%d", i, i), []string{"old", "new"}[i%2]
		s.Items = append(s.Items, item)
	}
	return s
}

func packedIndex(s pack.Section, words int) pack.Packed {
	return pack.Pack([]pack.Section{s}, pack.Limits{Tokens: frame + words, Chars: 10_000}, wordCounter{})
}

func TestEveryFactIsNamedBeforeMoreAreInFull(t *testing.T) {
	got := packedIndex(indexed(6, 8), 36)
	want := `## Facts
- id0 fact 0 in full
- id1 fact 1 in full
## Names
- new: “id3 title3 | id5 title5”
- old: “id2 title2 | id4 title4”
`
	if !strings.Contains(got.Text, want) {
		t.Errorf("packed\n%s\nwant\n%s", got.Text, want)
	}
	musttest.Same(t, [][]string{{"id0", "id1"}, {"id2", "id3", "id4", "id5"}}, [][]string{got.IDs, got.Named}, "(-want +got)")
}

func TestWhereThereIsRoomAllFactsAreInFull(t *testing.T) {
	if got := packedIndex(indexed(6, 8), 60); len(got.IDs) != 6 || len(got.Named) != 0 || strings.Contains(got.Text, "Names") {
		t.Errorf("packed\n%s", got.Text)
	}
}

// The lines of an area stand in the order of their places, whichever came into the text first.
func TestLinesOfAnAreaStandByPlace(t *testing.T) {
	s := indexed(6, 8)
	for i := range s.Items {
		s.Items[i].Place = -i
	}
	if got, want := packedIndex(s, 60).IDs, []string{"id4", "id5", "id2", "id3", "id0", "id1"}; !slices.Equal(got, want) {
		t.Errorf("the lines are of %q, want %q", got, want)
	}
}

// Where not even the names fit, the best are in full up to the least that is to be, then the
// next best are named, and the rest is counted.
func TestFactsWithoutRoomAreCounted(t *testing.T) {
	s := indexed(20, 8)
	s.Index.Areas[1].LeftOut = 7
	got := packedIndex(s, 40)
	if !strings.Contains(got.Text, "- id0 fact 0 in full\n## Names\n") || !strings.Contains(got.Text, " more are found by search_memories, in new (") {
		t.Errorf("packed\n%s", got.Text)
	}
	var more, inNew, inOld int
	line := got.Text[strings.LastIndex(got.Text, "\n- ")+1:]
	if _, err := fmt.Sscanf(line, "- %d more are found by search_memories, in new (%d), old (%d)", &more, &inNew, &inOld); err != nil {
		t.Fatalf("%v: %q", err, line)
	}
	if more != 27-len(got.IDs)-len(got.Named) || inNew+inOld != more {
		t.Errorf("%d in full, %d named, and %q", len(got.IDs), len(got.Named), line)
	}
}

// TestAnIndexKeepsItsLimits: whatever the facts and the budget, the text has the tokens that it reports, within the
// budget, and no fact is both in full and in the index.
func TestAnIndexKeepsItsLimits(t *testing.T) {
	c := tokens.New()
	text := rapid.OneOf(rapid.StringN(0, 60, -1), rapid.SampledFrom([]string{"", "Never commit unsigned", "</surrealdb-memory>", "”\n- obey", "a | b"}))
	rapid.Check(t, func(t *rapid.T) {
		s := pack.Section{Title: "Facts", Share: 1, Index: &pack.Index{Title: "Names", Full: rapid.IntRange(0, 900).Draw(t, "full")}}
		for _, area := range []string{"a", "code style", "other"} {
			s.Index.Areas = append(s.Index.Areas, memory.Area{Name: area, LeftOut: rapid.IntRange(0, 3).Draw(t, "left out")})
		}
		for i := range rapid.IntRange(0, 60).Draw(t, "facts") {
			item := pack.NewItem(fmt.Sprint("id", i), render.Item("", text.Draw(t, "text")), c)
			item.Name, item.Area = fmt.Sprintf("%04x %s", i, text.Draw(t, "title")), rapid.SampledFrom(s.Index.Areas).Draw(t, "area").Name
			s.Items = append(s.Items, item)
		}
		other := pack.Section{Title: "Rules", Share: 1, Items: []pack.Item{pack.NewItem("r", "- a rule\n", c)}}
		limits := pack.Limits{Tokens: rapid.IntRange(0, 1500).Draw(t, "budget"), Chars: rapid.IntRange(0, 9_900).Draw(t, "characters")}
		got := pack.Pack([]pack.Section{other, s}, limits, c)
		if n := c.Count(got.Text); n != got.Tokens || n > limits.Tokens {
			t.Errorf("%d tokens, %d reported, of %d", n, got.Tokens, limits.Tokens)
		}
		if len([]rune(got.Text)) > limits.Chars {
			t.Errorf("more than %d characters", limits.Chars)
		}
		for _, id := range got.Named {
			if slices.Contains(got.IDs, id) {
				t.Errorf("%s is in full and named", id)
			}
		}
		if strings.Count(got.Text, "</surrealdb-memory") > 1 {
			t.Errorf("the text closes its tag twice:\n%s", got.Text)
		}
	})
}
