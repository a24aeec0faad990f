package recall

import "testing"

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
		// What is no English word stays.
		"rôle": "rôle", "utf8": "utf8", "x": "x", "": "",
	} {
		if got := stem(word); got != want {
			t.Errorf("stem(%q) = %q, want %q", word, got, want)
		}
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
			if a, b := stem(forms[0]), stem(form); a != b {
				t.Errorf("%q becomes %q, but %q becomes %q", forms[0], a, form, b)
			}
		}
	}
}

func TestVariants(t *testing.T) {
	v := vocabulary{}
	for _, word := range []string{"kubernet", "throttl", "config", "configur", "test", "text", "cat"} {
		v.add(word)
	}
	for word, want := range map[string]string{
		"kuberntes": "kubernet", "throtling": "", "throtl": "throttl", "confi": "config", "tezt": "", "cats": "", "zzzz": "", "te": "",
	} {
		got := ""
		if found := v.variants(word); len(found) > 0 {
			got = found[0].word
		}
		if got != want {
			t.Errorf("variants(%q) starts with %q, want %q", word, got, want)
		}
	}
	v.remove("throttl")
	if found := v.variants("throtl"); len(found) > 0 {
		t.Errorf("%q is still found after its removal", found[0].word)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "abcd", 1}, {"abc", "xbc", 1}, {"", "abc", 3}, {"kitten", "sitting", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
