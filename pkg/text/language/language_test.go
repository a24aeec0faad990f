package language_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

func TestSplitter(t *testing.T) {
	for _, test := range []struct {
		splitter   language.Splitter
		text, want string
	}{
		{language.Plain, "It's “Größe” 42: don’t!", "its größe 42 dont"},
		{language.Plain, "a_b, c-d", "a b c d"},
		{language.Plain, "", ""},
		{language.Plain, " -- ’ ' \xff", ""},
		{language.Sentence, "See ./pkg/a.go, then -x.", "see pkg/a.go , then x"},
		{language.Sentence, "a→b (really?)", "a b ( really ?"},
		{language.Clauses, "Fix v1.2. Then stop", "fix v1.2 . then stop"},
		{language.Clauses, "one\ntwo...", "one \n two . . ."},
		{language.Clauses, "it hasn't landed; isn’t it", "it hasnt landed ; isnt it"},
		{language.Spoken, "We're in 'v2'", "we're in v 2"},
	} {
		musttest.Same(t, test.want, strings.Join(test.splitter.List(test.text), " "), "%+v splits %q into", test.splitter, test.text)
	}
}

// The words of a text are those of its words.
func FuzzSplitter(f *testing.F) {
	for _, seed := range []string{"", "a'b’c -x- 1st", "\xff\xfe’", "->..a", strings.Repeat("-a'", 99)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, splitter := range []language.Splitter{language.Plain, language.Spoken, language.Sentence, language.Clauses} {
			words := splitter.List(text)
			if again := splitter.List(strings.Join(words, " ")); slices.Contains(words, "") || !slices.Equal(words, again) {
				t.Fatalf("%+v: %q has the words %q, and these have %q", splitter, text, words, again)
			}
		}
	})
}
