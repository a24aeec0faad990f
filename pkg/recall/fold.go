package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// tokenize splits a text into terms after folding it.
func tokenize(text string) []english.Token { return english.Tokenize(folded(text)) }

// folded removes what people leave out when they search: accents, vowel points, joiners and full-width forms. It
// keeps the vowel signs of Indic scripts, which are not accents, and returns ASCII texts unchanged.
func folded(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
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

// letters replaces letters without a separable accent by the letters that people type instead.
var letters = strings.NewReplacer("ß", "ss", "ẞ", "SS", "đ", "d", "Đ", "D", "ł", "l", "Ł", "L", "ø", "o", "Ø", "O", "æ", "ae", "Æ", "Ae", "œ", "oe", "Œ", "Oe", "ı", "i", "ς", "σ", "♯", "#")
