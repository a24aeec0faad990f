package english

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Likeness is symmetric, 1 only for the same word, and a removed word is never found.
func TestLikenessAndVocabularyKeepTheirPromises(t *testing.T) {
	word := rapid.StringMatching(`[ab][ab][abc]{0,10}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		switch alike := likeness(a, b); {
		case alike != likeness(b, a):
			t.Errorf("%s and %s are alike by %v, the other way by %v", a, b, alike, likeness(b, a))
		case alike < 0 || alike > 1, (alike == 1) != (a == b):
			t.Errorf("%s and %s are alike by %v", a, b, alike)
		}
		v := Vocabulary{}
		words := rapid.SliceOfDistinct(word, strings.Clone).Draw(t, "words")
		for _, w := range words {
			v.Add(w)
		}
		for _, w := range words {
			v.Remove(w)
			if slices.ContainsFunc(v.Variants(w), func(found Variant) bool { return found.Word == w }) {
				t.Errorf("%s is found after its removal", w)
			}
		}
		if len(v) > 0 {
			t.Errorf("of the removed words stay %v", v)
		}
	})
}

func TestVariants(t *testing.T) {
	v := Vocabulary{}
	for _, word := range []string{"kubernet", "throttl", "config", "configur", "test", "text", "cat"} {
		v.Add(word)
	}
	for word, want := range map[string]string{
		"kuberntes": "kubernet", "throtling": "", "throtl": "throttl", "confi": "config", "tezt": "", "cats": "", "zzzz": "", "te": "",
	} {
		got := ""
		if found := v.Variants(word); len(found) > 0 {
			got = found[0].Word
		}
		if got != want {
			t.Errorf("variants(%q) starts with %q, want %q", word, got, want)
		}
	}
	v.Remove("throttl")
	if found := v.Variants("throtl"); len(found) > 0 {
		t.Errorf("%q is still found after its removal", found[0].Word)
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
