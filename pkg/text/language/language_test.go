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

func TestFields(t *testing.T) {
	text := "(`Report-Id`, .env: 'don’t' use v1.2. go test ./...; _never_ __init__.py != - *now!*"
	var words []string
	for _, f := range language.Fields(text) {
		words = append(words, f.Before+"<"+f.Word+">"+f.Behind)
	}
	want := "(`<Report-Id>`, <.env>: '<don’t>' <use> <v1.2>. <go> <test> <./...>; _<never>_ <__init__.py> <!=> <-> *<now>!*"
	musttest.Same(t, want, strings.Join(words, " "), "the result")
}

// The parts of the fields are the text but for the blanks.
func FuzzFields(f *testing.F) {
	f.Add("a _b_ (c), __ ___ ____ _ ./... \xff")
	f.Fuzz(func(t *testing.T, text string) {
		for i, field := range language.Fields(text) {
			musttest.Same(t, strings.Fields(text)[i], field.Before+field.Word+field.Behind, "%+v of %q", field, text)
		}
	})
}

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

func TestRows(t *testing.T) {
	got := language.Rows("# a table\n\none | 0.5 | a ; b|c ;\n\t^d *\n+ yes it is\n- no\n+ two\nother\n")
	want := []language.Row{{Line: 3, Columns: []string{"one", "0.5", "a ; b|c ; ^d *"}, Yes: []string{"yes it is", "two"}, No: []string{"no"}}, {Line: 8, Columns: []string{"other"}}}
	musttest.Same(t, want, got, "rows differ (-want +got)")
	musttest.Same(t, []string{"a", "b|c", "^d *"}, got[0].List(2), "lists differ (-want +got)")
	if got[1].Column(1) != "" || got[1].List(1) != nil {
		t.Errorf("a missing column is %q, %q", got[1].Column(1), got[1].List(1))
	}
}
