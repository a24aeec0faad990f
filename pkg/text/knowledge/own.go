package knowledge

import (
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// Written returns the sentences of a prompt that the user wrote, without pasted text, quotations, plans, and text
// of the client, a tool or other people.
func Written(prompt string) string {
	typed, entered := typedLines(prompt)
	var own []string
	for _, s := range ownSentences(strings.Join(typed[:entered], ""), "", false) {
		own = append(own, s.Text)
	}
	return strings.Join(own, " ")
}

// leastQuote is the minimum length of a quote in bytes. Shorter passages occur nearly anywhere.
const leastQuote = 8

// Quotes reports whether a text contains a passage, in any case and spacing.
func Quotes(text, passage string) bool {
	plain := func(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
	passage = strings.Trim(plain(passage), "\"'“”‘’. ")
	return len(passage) >= leastQuote && strings.Contains(plain(text), passage)
}

// Agrees reports whether a text has all numbers of a passage, and is negated exactly if the passage is.
func Agrees(text, passage string) bool {
	for _, word := range strings.Fields(passage) {
		word = strings.Trim(word, "\"'`“”‘’.,;:!?()")
		if strings.ContainsFunc(word, unicode.IsDigit) && !strings.Contains(text, word) {
			return false
		}
	}
	return english.CoreOf(text).Negated == english.CoreOf(passage).Negated
}

// SharesWord reports whether a text has a word of a passage that is not a stop word.
func SharesWord(text, passage string) bool {
	return english.CoreOf(passage).Shared(english.CoreOf(text)) > 0
}

// MayCorrect reports whether a text may correct an older one; see english.MayCorrect.
func MayCorrect(text, older string) bool {
	core := english.CoreOf(older)
	return english.MayCorrect(core.Shared(english.CoreOf(text)), core.Len())
}
