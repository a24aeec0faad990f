package language_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

func TestPhrases(t *testing.T) {
	p := language.Phrases{}
	p.Add(1, []string{"never do", "in this repo|project"})
	p.Add(2, []string{"be * now", "now"})
	split := language.Plain.List
	for _, test := range []struct {
		text string
		want uint32
	}{
		{"never do that", 1},
		{"so never that", 0},
		{"in this project it must be blue now", 3},
		{"in this", 0},
		{"be now", 2},
		{"", 0},
	} {
		if got := p.Find(split(test.text)); got != test.want || p.In(split(test.text)) != (test.want != 0) {
			t.Errorf("%q: %b, want %b", test.text, got, test.want)
		}
	}
	if (language.Phrases{}).In(split("a word")) {
		t.Error("no phrases are found")
	}
}
