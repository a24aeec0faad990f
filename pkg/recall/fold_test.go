package recall

import (
	"slices"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// TestTermsAreTheSameInEachForm: a query as people type it has the terms of the word as it is written.
func TestTermsAreTheSameInEachForm(t *testing.T) {
	for written, typed := range map[string]string{
		"Smörgåsbord": "smorgasbord", "naïveté": "naivete", "GROẞE Füße": "grosse fusse", "Łódź": "lodz", "Đà Nẵng": "da nang",
		"ΔΙΑΚΟΜΙΣΤΉΣ": "διακομιστης", "שָׁלוֹם": "שלום", "مُحَمَّد": "محمد", "می\u200cخواهم": "میخواهم", "क्\u200dष": "क्ष",
		"ｓｅｒｖｅｒ": "server", "Ærø": "aero", norm.NFD.String("Übergröße"): "ubergrosse", "cœur": "coeur", "Ｃ＋＋": "c++", "Ｃ＃": "C#", "C♯": "c#", norm.NFD.String("한국어"): "한국어",
	} {
		terms := func(text string) (all []string) {
			for _, one := range tokenize(text) {
				all = append(all, one.Term)
			}
			return all
		}
		if got, want := terms(written), terms(typed); !slices.Equal(got, want) {
			t.Errorf("%q has the terms %q, %q has %q", written, got, typed, want)
		}
	}
	if a, b := tokenize("किताब"), tokenize("कताब"); a[0].Term == b[0].Term {
		t.Error("a vowel sign counts as an accent")
	}
}
