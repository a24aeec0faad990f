package language_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"":                                          "",
		"Never log bodies. Use e.g. slog! Why?":     "Never log bodies.|Use e.g. slog!|Why?",
		"Is v1.2 out? 用索引。好的！":                      "Is v1.2 out?|用索引。|好的！",
		"It holds.\nThe next one, too":              "It holds.|The next one, too",
		"1. Build it (twice.) 2. Run it":            "1. Build it (twice.)|2. Run it",
		"Always ask Dr. Ray. Never at 5 p.m. or so": "Always ask Dr. Ray.|Never at 5 p.m. or so",
		"nie vor dem 3. Mai. Port 22. dann 6. Juni": "nie vor dem 3. Mai.|Port 22.|dann 6.|Juni",
		"Say no. Then stop... or go on":             "Say no. Then stop...|or go on",
		"See [the docs.] And \"the rest.\" Done":    "See [the docs.]|And \"the rest.\"|Done",
	} {
		musttest.Same(t, want, strings.Join(language.Sentences(text), "|"), "%q (-want +got)", text)
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("a. b! c? d。e.g. f")
	f.Fuzz(func(t *testing.T, text string) {
		rest := text
		for _, one := range language.Sentences(text) {
			at := strings.Index(rest, one)
			if at < 0 || strings.TrimSpace(rest[:at]) != "" {
				t.Fatalf("%q: %q is not the next part of %q", text, one, rest)
			}
			rest = rest[at+len(one):]
		}
		musttest.Same(t, "", strings.TrimSpace(rest), "%q: %q is in no sentence", text, rest)
	})
}
