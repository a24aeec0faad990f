package language_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

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
			if want := strings.Fields(text)[i]; field.Before+field.Word+field.Behind != want {
				t.Errorf("%q of %q is %+v", want, text, field)
			}
		}
	})
}
