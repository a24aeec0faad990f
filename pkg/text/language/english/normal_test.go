package english_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

func TestWords(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"The, and: of!", ""},
		{"Migrations are reversible.", "migrat revers"},
		{"migrating MIGRATED migrates migration", "migrat migrat migrat migrat"},
		{"adding added adds add", "ad ad add add"},
		{"policies policy", "polici polici"},
		{"install installed installing", "instal instal instal"},
		{"controlled control", "control control"},
		{"Don't; it's the user's", "dont user"},
		{"the repo's config dir", "repositori configur directori"},
		{"a PR", "pull request"},
		{"rollbacks roll back", "roll back roll back"},
		{"snake_case kebab-case", "snake case kebab case"},
		{"Größe 数据库", "größe 数据库"},
	} {
		if got := strings.Join(english.Words(test.text), " "); got != test.want {
			t.Errorf("Words(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, seed := range []string{"", "The config's 12 retries", "don’t", "\xff\xfe", "ééé 数", "ing ed es ies ss"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, word := range english.Words(text) {
			if word == "" || strings.ContainsFunc(word, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) }) {
				t.Errorf("word %q of %q", word, text)
			}
		}
		if again := english.Words(text + " "); !slices.Equal(again, english.Words(text)) {
			t.Errorf("%q: a blank at the end changes the words", text)
		}
	})
}
