package knowledge_test

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
)

// labelled is a text with the kind of statement to keep, empty for none.
type labelled struct{ kind, text string }

func load(t testing.TB, name string) []labelled {
	t.Helper()
	file, err := os.Open("../../testdata/knowledge/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var all []labelled
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		if strings.HasPrefix(scanner.Text(), "#") {
			continue
		}
		kind, text, found := strings.Cut(scanner.Text(), " | ")
		if !found {
			t.Fatalf("%s: no label in %q", name, scanner.Text())
		}
		all = append(all, labelled{strings.TrimPrefix(kind, "-"), strings.ReplaceAll(text, `\n`, "\n")})
	}
	return all
}

// tally counts findings against labels.
type tally struct{ hits, extra, missed, labelled int }

func (c tally) precision() float64 { return float64(c.hits) / float64(max(1, c.hits+c.extra)) }
func (c tally) recall() float64    { return float64(c.hits) / float64(max(1, c.labelled)) }

// measure judges a finder by a labelled set: kept, whatever the kind, and for each
// kind. A text has at most one thing to find.
func measure(t testing.TB, set []labelled, find func(string) []knowledge.Statement) (kept tally, kinds map[string]*tally) {
	kinds = map[string]*tally{}
	of := func(kind string) *tally {
		if kinds[kind] == nil {
			kinds[kind] = &tally{}
		}
		return kinds[kind]
	}
	for _, l := range set {
		found := find(l.text)
		if l.kind != "" {
			kept.labelled++
			of(l.kind).labelled++
		}
		if len(found) == 0 {
			if l.kind != "" {
				kept.missed++
				t.Logf("missed %s: %s", l.kind, l.text)
			}
			continue
		}
		if l.kind == "" {
			kept.extra++
			t.Logf("kept by %q: %s", found[0].Rule, found[0].Text)
		} else {
			kept.hits++
		}
		best := slices.MaxFunc(found, func(a, b knowledge.Statement) int {
			switch {
			case a.Salience < b.Salience:
				return -1
			case a.Salience > b.Salience:
				return 1
			}
			return 0
		})
		if string(best.Kind) == l.kind {
			of(l.kind).hits++
		} else {
			of(string(best.Kind)).extra++
		}
	}
	return kept, kinds
}

func report(name string, kept tally, kinds map[string]*tally) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: precision %.3f, recall %.3f of %d to be kept\n", name, kept.precision(), kept.recall(), kept.labelled)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		c := kinds[kind]
		fmt.Fprintf(&text, "  %-11s precision %.2f, recall %.2f of %d\n", kind, c.precision(), c.recall(), c.labelled)
	}
	return text.String()
}

// TestGoldenPrompts holds the rules to a set that was written for them, of
// statements to keep and of look-alikes to pass over.
func TestGoldenPrompts(t *testing.T) {
	set := load(t, "prompts.txt")
	if len(set) < 300 {
		t.Errorf("%d prompts, not at least 300", len(set))
	}
	kept, kinds := measure(t, set, stated(knowledge.Finder{}))
	t.Log("\n" + report("prompts", kept, kinds))
	if kept.precision() < 0.95 || kept.recall() < 0.90 {
		t.Errorf("precision %.3f, recall %.3f; want 0.95 and 0.90", kept.precision(), kept.recall())
	}
	for kind, least := range map[string][2]float64{
		"convention": {0.7, 0.7}, "correction": {0.7, 0.7}, "preference": {0.7, 0.7}, "decision": {0.7, 0.7}, "todo": {0.6, 0.5}, "note": {0.6, 0.5},
	} {
		if c := kinds[kind]; c.precision() < least[0] || c.recall() < least[1] {
			t.Errorf("%s: precision %.2f, recall %.2f; want %.2f and %.2f", kind, c.precision(), c.recall(), least[0], least[1])
		}
	}
}

// TestGoldenOtherLanguages checks plain sentences in three other languages.
func TestGoldenOtherLanguages(t *testing.T) {
	kept, kinds := measure(t, load(t, "other-languages.txt"), stated(knowledge.Finder{}))
	t.Log("\n" + report("other languages", kept, kinds))
	if kept.precision() < 0.95 || kept.recall() < 0.90 {
		t.Errorf("precision %.3f, recall %.3f; want 0.95 and 0.90", kept.precision(), kept.recall())
	}
}

func TestGoldenReplies(t *testing.T) {
	kept, kinds := measure(t, load(t, "replies.txt"), knowledge.Conclusions)
	t.Log("\n" + report("replies", kept, kinds))
	if kept.precision() < 0.9 || kept.recall() < 0.85 {
		t.Errorf("precision %.3f, recall %.3f; want 0.90 and 0.85", kept.precision(), kept.recall())
	}
}

// TestAblation prints the worth of each rule on the golden sets, and fails for a rule without which
// nothing there would be found less, or as another kind.
func TestAblation(t *testing.T) {
	prompts, replies := load(t, "prompts.txt"), load(t, "replies.txt")
	used := map[string]int{}
	found := func(finder knowledge.Finder, count map[string]int) string {
		var all []knowledge.Statement
		for _, l := range prompts {
			all = append(all, stated(finder)(l.text)...)
		}
		for _, l := range replies {
			all = append(all, finder.Conclusions(l.text)...)
		}
		var text strings.Builder
		for _, s := range all {
			count[s.Rule]++
			fmt.Fprintln(&text, s.Kind, s.Text)
		}
		return text.String()
	}
	complete := found(knowledge.Finder{}, used)
	quiet := &testing.B{} // its log goes nowhere
	var text strings.Builder
	for _, name := range append([]string{""}, knowledge.Rules()...) {
		finder := knowledge.Finder{Without: map[string]bool{name: true}}
		p, _ := measure(quiet, prompts, stated(finder))
		r, _ := measure(quiet, replies, finder.Conclusions)
		if name != "" && found(finder, map[string]int{}) == complete {
			t.Errorf("nothing shows the use of the rule %q", name)
		}
		fmt.Fprintf(&text, "%-14s decides %3d; without it prompts %.3f %.3f, replies %.3f %.3f\n",
			name, used[name], p.precision(), p.recall(), r.precision(), r.recall())
	}
	t.Log("\n" + text.String())
}
