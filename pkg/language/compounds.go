package language

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// firstSpaceless is below all characters of scripts without spaces.
const firstSpaceless = 0x0E00

// isSpaceless tells a character of a script whose words no spaces part, and of Korean,
// whose words have endings that differ.
func isSpaceless(r rune) bool {
	return r >= firstSpaceless && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// Compounds yields the words, identifiers, paths and versions of a text as written, and
// the runs of scripts without spaces between them, which it tells.
func Compounds(text string) iter.Seq2[string, bool] {
	return func(yield func(compound string, spaceless bool) bool) {
		for len(text) > 0 {
			r, end := utf8.DecodeRuneInString(text)
			spaceless := isSpaceless(r)
			if spaceless {
				end = spacelessEnd(text)
			} else if isInCompound(r) {
				end = compoundEnd(text)
			}
			if (spaceless || isInCompound(r)) && !yield(text[:end], spaceless) {
				return
			}
			text = text[end:]
		}
	}
}

// spacelessEnd is the end of the run of such characters that starts a text.
func spacelessEnd(text string) int {
	end := strings.IndexFunc(text, func(r rune) bool { return !isSpaceless(r) })
	if end < 0 {
		return len(text)
	}
	return end
}

func isInCompound(r rune) bool {
	return !isSpaceless(r) && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_')
}

// isJoint says that a character can join the words of a compound.
func isJoint(r rune) bool {
	switch r {
	case '.', '/', '-', ':', '\\', '\'', '’', '@', '+', '#':
		return true
	}
	return false
}

// compoundEnd is the end of the compound that starts a text: joints belong to it only
// between two word characters.
func compoundEnd(text string) int {
	end := 0
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if isInCompound(r) {
			end += size
			continue
		}
		if !isJoint(r) {
			break
		}
		next, _ := utf8.DecodeRuneInString(text[end+size:])
		if !isInCompound(next) {
			break
		}
		end += size
	}
	return end
}

// Parts splits a compound at its joints, at underscores, and where the case starts
// a word: fooBar, HTTPServer, but not v2 or utf8.
func Parts(compound string) []string {
	var words []string
	start := 0
	var before, last rune // the two preceding characters
	for i, r := range compound {
		switch {
		case isJoint(r) || r == '_':
			words = appendPart(words, compound[start:i])
			start = i + utf8.RuneLen(r)
		case unicode.IsUpper(r) && unicode.IsLower(last):
			words = appendPart(words, compound[start:i])
			start = i
		case unicode.IsLower(r) && unicode.IsUpper(last) && unicode.IsUpper(before):
			// HTTPServer: the last capital starts the next word.
			at := i - utf8.RuneLen(last)
			if at > start && !isPlural(compound[i:]) {
				words = appendPart(words, compound[start:at])
				start = at
			}
		}
		before, last = last, r
	}
	return appendPart(words, compound[start:])
}

// isPlural says that only a plural s follows the capitals, as in URLs.
func isPlural(rest string) bool { return rest == "s" }

func appendPart(words []string, part string) []string {
	if part == "" {
		return words
	}
	return append(words, part)
}
