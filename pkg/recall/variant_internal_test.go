package recall

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Likeness is symmetric, 1 only for the same word, and what is removed is never
// found.
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
		v := vocabulary{}
		words := rapid.SliceOfDistinct(word, strings.Clone).Draw(t, "words")
		for _, w := range words {
			v.add(w)
		}
		for _, w := range words {
			v.remove(w)
			if slices.ContainsFunc(v.variants(w), func(found variant) bool { return found.word == w }) {
				t.Errorf("%s is found after its removal", w)
			}
		}
		if len(v) > 0 {
			t.Errorf("of the removed words stay %v", v)
		}
	})
}

// Every word of the thesaurus means something to the index: it is not a stop word,
// and stands for itself.
func TestThesaurus(t *testing.T) {
	for line := range strings.Lines(thesaurus) {
		for _, w := range strings.Fields(strings.ReplaceAll(line, ">", " ")) {
			if found := Tokenize(w); len(found) == 0 {
				t.Errorf("%q of %q is never looked for", w, strings.TrimSpace(line))
			}
		}
	}
	for from, others := range related {
		if slices.Contains(others, from) {
			t.Errorf("%s stands for itself", from)
		}
	}
	if !slices.Contains(related[stem("database")], stem("postgres")) || slices.Contains(related[stem("postgres")], stem("database")) {
		t.Error("an example must be found by its kind only")
	}
}
