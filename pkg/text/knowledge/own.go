package knowledge

import (
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// Written returns the sentences of a prompt that the user wrote: no paste, no quotation, and nothing of the client, of
// a tool, of a plan or of anybody else.
func Written(prompt string) string {
	typed, entered := typedLines(prompt)
	var own []string
	for _, s := range ownSentences(strings.Join(typed[:entered], ""), Context{}) {
		own = append(own, s.Text)
	}
	return strings.Join(own, " ")
}

// leastQuote is the fewest bytes of a quote: fewer stand nearly anywhere.
const leastQuote = 8

// Quotes reports whether a passage is words of a text, in any case and spacing.
func Quotes(text, passage string) bool {
	plain := func(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
	passage = strings.Trim(plain(passage), "\"'“”‘’. ")
	return len(passage) >= leastQuote && strings.Contains(plain(text), passage)
}

// Keeps reports whether a text has the numbers of a passage, and is negated only if the passage is.
func Keeps(text, passage string) bool {
	for _, word := range strings.Fields(passage) {
		word = strings.Trim(word, "\"'`“”‘’.,;:!?()")
		if strings.ContainsFunc(word, unicode.IsDigit) && !strings.Contains(text, word) {
			return false
		}
	}
	return english.CoreOf(text).IsNegated() == english.CoreOf(passage).IsNegated()
}

// Shares reports whether a text has a word of a passage, but for those that say nothing by themselves.
func Shares(text, passage string) bool {
	return english.CoreOf(passage).Shared(english.CoreOf(text)) > 0
}
