package memory_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// A fact without a title gets its first clause as title, if that can stand by itself.
func TestTheTitleOfAFactWithoutOne(t *testing.T) {
	for text, want := range map[string]string{
		"Payments are never retried by the shop, because the bank does.": "Payments are never retried by the shop",
		"Use config.toml.": "Use config.toml",
		"In CI: the tests of the engine need a real server. They fail without.":                    "In CI: the tests of the engine need a real server",
		"The file pkg/store/open.go.tmpl is written by the generator; never by hand":               "The file pkg/store/open.go.tmpl is written by the generator",
		"One statement that goes on and on without any sign at which it could be cut in two parts": "One statement that goes on and on without any sign at which…",
		strings.Repeat("0", 70): strings.Repeat("0", 59) + "…",
	} {
		musttest.Same(t, want, memory.TitleOf(text), "the title of %q", text)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if n := utf8.RuneCountInString(memory.TitleOf(text)); n > memory.MaxTitle {
			t.Errorf("a title of %d characters", n)
		}
	})
}
