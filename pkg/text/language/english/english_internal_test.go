package english

import (
	"slices"
	"strings"
	"testing"

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
		"failure": "fail", "failed": "fail", "indices": "index",
		// Other strings than English words stay.
		"rôle": "rôle", "utf8": "utf8", "x": "x", "": "",
	} {
		musttest.Same(t, want, Stem(word), "Stem(%q)", word)
	}
}

// Forms of one word must meet, whatever their stem is.
func TestFormsMeet(t *testing.T) {
	for _, forms := range [][]string{
		{"migrate", "migrates", "migrated", "migrating", "migration", "migrations"},
		{"test", "tests", "tested", "testing"},
		{"connect", "connection", "connections", "connected"},
		{"retry", "retries", "retried", "retrying"},
		{"deploy", "deploys", "deployed", "deploying"},
		{"write", "wrote", "written", "writing", "writes"},
		{"depend", "dependency", "dependencies", "depends"},
	} {
		for _, form := range forms[1:] {
			if a, b := Stem(forms[0]), Stem(form); a != b {
				t.Errorf("%q becomes %q, but %q becomes %q", forms[0], a, form, b)
			}
		}
	}
}

// A word of the synonyms means something: it is not a stop word, and stands for others
// only.
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
