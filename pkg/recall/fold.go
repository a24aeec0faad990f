package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// tokenize splits a text into terms. They do not depend on accents, points, joiners, Unicode composition or full-width letters.
// Texts in ASCII stay as they are.
func tokenize(text string) []english.Token { return english.Tokenize(folded(text)) }

// folded returns a text without what people leave out when they search. The vowel signs of Indic scripts stay: they are not accents.
func folded(text string) string {
	if isASCII(text) {
		return text
	}
	bare := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r) && unicode.In(r, unicode.Inherited, unicode.Hebrew, unicode.Arabic) {
			return -1
		}
		return r
	}, norm.NFKD.String(text))
	return norm.NFC.String(letters.Replace(bare))
}

// letters replaces letters that have no separable accent, but that people also write without it.
var letters = strings.NewReplacer("ß", "ss", "ẞ", "SS", "đ", "d", "Đ", "D", "ł", "l", "Ł", "L", "ø", "o", "Ø", "O", "æ", "ae", "Æ", "Ae", "œ", "oe", "Œ", "Oe", "ı", "i", "ς", "σ", "♯", "#")

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
