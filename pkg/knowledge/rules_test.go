package knowledge

import (
	"slices"
	"strconv"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// TestEveryRuleFulfilsItsExamples: a sentence behind "+" is kept by the rule of its
// row, alone or with others, and without the rule comes out otherwise; one behind "-" is
// not kept by it.
func TestEveryRuleFulfilsItsExamples(t *testing.T) {
	for _, set := range []struct {
		name, text string
		find       func(f Finder, text string) []Statement
	}{
		{"said", saidText, func(f Finder, text string) []Statement { return f.Statements(text, Context{}) }},
		{"concluded", concludedText, Finder.Conclusions},
	} {
		for _, row := range language.Rows(set.text) {
			if weight, err := strconv.ParseFloat(row.Column(2), 64); err != nil || weight <= 0 || weight >= 1 || len(row.List(3)) == 0 || len(row.Yes) == 0 || len(row.No) == 0 {
				t.Errorf("%s.txt:%d: a rule needs a kind, a weight, phrases and examples of + and -", set.name, row.Line)
			}
			without := Finder{Without: map[string]bool{row.Columns[0]: true}}
			for _, text := range row.Yes {
				with := set.find(Finder{}, text)
				if len(with) == 0 || slices.Equal(with, set.find(without, text)) {
					t.Errorf("%s.txt:%d: %q comes out the same without the rule: %+v", set.name, row.Line, text, with)
				}
			}
			for _, text := range row.No {
				if found := set.find(Finder{}, text); slices.ContainsFunc(found, func(s Statement) bool { return s.Rule == row.Columns[0] }) {
					t.Errorf("%s.txt:%d: %q is kept: %+v", set.name, row.Line, text, found)
				}
			}
		}
	}
}

// TestEveryMeaningFulfilsItsExamples: a sentence behind "+" has less salience, or
// another kind, than by its words alone; one behind "-" has the same.
func TestEveryMeaningFulfilsItsExamples(t *testing.T) {
	for i, row := range language.Rows(meantText) {
		for _, set := range []struct {
			texts []string
			want  bool
		}{{row.Yes, true}, {row.No, false}} {
			if len(set.texts) == 0 {
				t.Errorf("meant.txt:%d: a row needs examples of + and -", row.Line)
			}
			for _, text := range set.texts {
				words := tokens(text)
				by := said.judged(words)
				if is := meant.phrases.Find(words, opening(words))&(1<<i) != 0; is != set.want || by.Rule == "" || set.want == (asMeant(by, words) == by) {
					t.Errorf("meant.txt:%d: %q: found %t, %+v becomes %+v", row.Line, text, is, by, asMeant(by, words))
				}
			}
		}
	}
}

func (t table) judged(words []string) Statement { return Finder{}.judge(t, words) }

// TestEveryRequestFulfilsItsExamples: a line behind "+" is kept by its row, one behind
// "-" is not.
func TestEveryRequestFulfilsItsExamples(t *testing.T) {
	for name, text := range map[string]string{"markers": markersText, "remember": rememberText} {
		for _, row := range language.Rows(text) {
			if len(row.Yes) == 0 || len(row.No) == 0 {
				t.Errorf("%s.txt:%d: a row needs examples of + and -", name, row.Line)
			}
			for _, line := range row.Yes {
				if kept, asked := asksToKeep(line); !asked || row.Column(2) != "" && string(kept) != row.Column(1) {
					t.Errorf("%s.txt:%d: %q is not kept, or as %q", name, row.Line, line, kept)
				}
			}
			for _, line := range row.No {
				if _, asked := asksToKeep(line); asked {
					t.Errorf("%s.txt:%d: %q is kept", name, row.Line, line)
				}
			}
		}
	}
}

func asksToKeep(line string) (memory.Kind, bool) {
	if d, is := directiveOf(line); is {
		return d.Kind, true
	}
	_, kind, is := askedFor(line)
	return kind, is
}
