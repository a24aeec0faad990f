package english

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestStem(t *testing.T) {
	for word, want := range map[string]string{
		// The algorithm's own examples.
		"caresses": "caress", "ties": "tie", "cries": "cri", "gaps": "gap", "gas": "gas", "kiwis": "kiwi",
		"conflated": "conflat", "feed": "feed", "luxuriating": "luxuri", "hopping": "hop", "hoping": "hope",
		"hopefulness": "hope", "relational": "relat", "happy": "happi", "by": "by", "say": "say",
		"generously": "generous", "communities": "communiti", "controlling": "control", "skies": "sky", "dying": "die",
		"proceeds": "proceed", "news": "news", "electricity": "electr", "replacement": "replac", "adoption": "adopt",
		// Forms that no suffix rule brings together.
		"went": "go", "bought": "buy", "children": "child", "chosen": "choos", "decision": "decid", "deciding": "decid",
		"failure": "fail", "failed": "fail", "indices": "index", "wrote": "write", "written": "write", "writing": "write",
		"migration": "migrat", "migrated": "migrat", "dependency": "depend", "connections": "connect", "retrying": "retri", "retries": "retri",
		// Other strings than English words stay.
		"rôle": "rôle", "utf8": "utf8", "x": "x", "": "",
	} {
		musttest.Same(t, want, Stem(word), "Stem(%q)", word)
	}
}

// A word of the synonyms means something: it is not a stop word, and stands for others only.
func TestSynonyms(t *testing.T) {
	for _, w := range strings.Fields(strings.ReplaceAll(synonymsText, ">", " ")) {
		if IsStopWord(w) {
			t.Errorf("%q is never looked for", w)
		}
	}
	for from, others := range synonyms() {
		if slices.Contains(others, from) {
			t.Errorf("%s stands for itself", from)
		}
	}
	if !slices.Contains(Synonyms(Stem("database")), Stem("postgres")) || slices.Contains(Synonyms(Stem("postgres")), Stem("database")) {
		t.Error("an example must be found by its kind only")
	}
}

func TestTablesAreRead(t *testing.T) {
	for name, is := range map[string]bool{
		"the is a stop word":       IsStopWord("the"),
		"port is none":             !IsStopWord("port"),
		"kind frames a question":   FramesQuestion(Stem("kind")),
		"port does not":            !FramesQuestion(Stem("port")),
		"letters are plain":        IsPlain("port"),
		"what has a digit is none": !IsPlain("utf8"),
	} {
		if !is {
			t.Errorf("not so: %s", name)
		}
	}
}

// Likeness is symmetric, and 1 only for the same word.
func TestLikenessKeepsItsPromises(t *testing.T) {
	word := rapid.StringMatching(`a[ab][abc]{2,10}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		switch alike := Likeness(a, b); {
		case alike != Likeness(b, a):
			t.Errorf("%s and %s are alike by %v, the other way by %v", a, b, alike, Likeness(b, a))
		case alike < 0 || alike > 1, (alike == 1) != (a == b):
			t.Errorf("%s and %s are alike by %v", a, b, alike)
		}
	})
	for pair, want := range map[[2]string]bool{
		{"kuberntes", "kubernet"}: true, {"throtling", "throttl"}: false, {"throtl", "throttl"}: true, {"confi", "config"}: true,
		{"tezt", "test"}: false, {"cats", "cat"}: false, {"te", "test"}: false, {"xonfig", "config"}: false, {"conifg", "config"}: true,
	} {
		musttest.Same(t, want, Likeness(pair[0], pair[1]) > 0, "%s is similar to %s", pair[0], pair[1])
	}
}

// TestEveryListHasItsExamples: each list has the word or the phrase behind "+", and not that behind "-".
func TestEveryListHasItsExamples(t *testing.T) {
	for name, row := range lists {
		if len(row.Yes) == 0 || len(row.No) == 0 {
			t.Errorf("lists.txt:%d: a list needs examples of + and -", row.Line)
		}
		has := func(text string) bool {
			return List(name)[text] || slices.Contains(row.List(1), text)
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
