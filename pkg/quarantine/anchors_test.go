package quarantine

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// No anchor keeps a pattern from a text that it matches: not in the labelled texts, not in pieces of them, not in another
// case.
func TestAnchorsHideNothing(t *testing.T) {
	content, err := os.ReadFile("../../testdata/quarantine/texts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for lines := bufio.NewScanner(strings.NewReader(string(content))); lines.Scan(); {
		words = append(words, strings.Fields(lines.Text())...)
	}
	matched := 0
	check := func(text string) (missed string) {
		for i, r := range rules {
			if !r.pattern.MatchString(text) {
				continue
			}
			if matched++; !hasAny(folded(text), ruleAnchors()[i]) {
				return r.name
			}
		}
		return ""
	}
	for line := range strings.Lines(string(content)) {
		if missed := check(line); missed != "" {
			t.Errorf("%q is kept from the rule %q", line, missed)
		}
	}
	folds := strings.NewReplacer("s", "ſ", "k", "\u212a")
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(0, len(words)-1).Draw(t, "from")
		text := strings.Join(words[from:min(len(words), from+rapid.IntRange(1, 40).Draw(t, "words"))], " ")
		switch rapid.IntRange(0, 3).Draw(t, "case") {
		case 0:
			text = strings.ToUpper(text)
		case 1:
			text = folds.Replace(text)
		}
		if missed := check(text); missed != "" {
			t.Fatalf("%q is kept from the rule %q", text, missed)
		}
	})
	if matched < 100 {
		t.Errorf("only %d matches were looked at", matched)
	}
	for i, r := range rules {
		if ruleAnchors()[i] == nil {
			t.Errorf("the rule %q has no anchors: every text is matched against it: %s", r.name, r.pattern)
		}
	}
}
