package english

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxTerm bounds a term, in bytes; longer ones (a hash, a data URL) identify nothing better
// than their prefix.
const MaxTerm = 64

// Token is one searchable term of a text.
type Token struct {
	Term string
	// Whole is set if the term is an identifier, path or version kept as written, in addition to its
	// words.
	Whole bool
	// Share is 1; for a word of a term with joints 1 divided by their number, as they always
	// come together.
	Share float64
	// Words is the number of words of the identifier or path that it is a word of, 1 for a word alone.
	// OfName is set if it is of the name of a path's file.
	Words  int
	OfName bool
}

// Tokenize splits a text into terms: lower-case stems without stop words. An
// identifier, path or flag is split by case, snake, dash, path and dot, and also kept
// whole; of a path the file name is kept whole too. A name that ends with signs (C++, F#) is a term with them. Of scripts without spaces, each two
// neighbouring characters are a term. It never fails, and the number of terms is linear in
// the length of the text.
func Tokenize(text string) []Token {
	var tokens []Token
	for len(text) > 0 {
		r, end := utf8.DecodeRuneInString(text)
		switch {
		case isSpaceless(r):
			end = spacelessEnd(text)
			tokens = appendPairs(tokens, []rune(text[:end]))
		case isInCompound(r):
			end = compoundEnd(text)
			tokens = appendCompound(tokens, text[:end])
			signed := end + signsEnd(text[end:])
			tokens = appendSigned(tokens, text[:end], text[end:signed])
			end = signed
		}
		text = text[end:]
	}
	return tokens
}

// signsEnd is the end of the signs of a name that a text begins with, behind the name: C++, C#, C++17, but no sum and no number.
func signsEnd(text string) int {
	end := len(text) - len(strings.TrimLeft(text, "+#"))
	if next, _ := utf8.DecodeRuneInString(text[end:]); end > 2 || unicode.IsLetter(next) {
		return 0
	}
	return end
}

// appendSigned adds the last name of a compound with its signs.
func appendSigned(tokens []Token, compound, signs string) []Token {
	name := compound[strings.LastIndexFunc(compound, isJoint)+1:]
	if last, _ := utf8.DecodeLastRuneInString(name); signs == "" || !unicode.IsLetter(last) {
		return tokens
	}
	return append(tokens, Token{Term: cutTerm(strings.ToLower(name + signs)), Whole: true, Share: 1, Words: 1})
}

// appendPairs adds each two neighbouring characters, or the only one.
func appendPairs(tokens []Token, run []rune) []Token {
	if len(run) == 1 {
		return append(tokens, Token{Term: string(run), Share: 1, Words: 1})
	}
	for i := range len(run) - 1 {
		tokens = append(tokens, Token{Term: string(run[i : i+2]), Share: 1, Words: 1})
	}
	return tokens
}

// appendCompound splits at an apostrophe first: an ending (s, t, ll) or, rarely, a name
// follows it.
func appendCompound(tokens []Token, compound string) []Token {
	const longestEnding = 2
	for i, piece := range strings.Split(strings.ReplaceAll(compound, "’", "'"), "'") {
		if i == 0 || len(piece) > longestEnding {
			tokens = appendIdentifier(tokens, piece)
		}
	}
	return tokens
}

func appendIdentifier(tokens []Token, compound string) []Token {
	parts := partsOf(compound)
	switch len(parts) {
	case 0:
		return tokens
	case 1:
		return appendWord(tokens, parts[0], Token{Share: 1, Words: 1})
	}
	whole := strings.ToLower(compound)
	tokens = append(tokens, Token{Term: cutTerm(whole), Whole: true, Share: 1, Words: 1})
	folders, share := len(parts), 1/float64(len(partsOf(whole)))
	if at := strings.LastIndexAny(compound, `/\`); at >= 0 {
		if name := partsOf(compound[at+1:]); len(name) > 1 {
			tokens = append(tokens, Token{Term: cutTerm(strings.ToLower(compound[at+1:])), Whole: true, Share: 1, Words: 1})
			folders -= len(name)
		}
	}
	for i, part := range parts {
		tokens = appendWord(tokens, part, Token{Share: share, Words: len(parts), OfName: i >= folders})
	}
	return tokens
}

func appendWord(tokens []Token, word string, as Token) []Token {
	if isPluralAcronym(word) {
		word = word[:len(word)-1]
	}
	word = strings.ToLower(word)
	if IsStopWord(word) || word == "" {
		return tokens
	}
	as.Term = cutTerm(Stem(word))
	return append(tokens, as)
}

// isPluralAcronym reports whether a word is capitals with an s, as in URLs: the stemmer would keep the s
// of a word without vowels.
func isPluralAcronym(word string) bool {
	capitals := strings.TrimRight(word, "s")
	return len(capitals) > 1 && len(capitals)+1 == len(word) && capitals == strings.ToUpper(capitals)
}

func cutTerm(term string) string {
	if len(term) <= MaxTerm {
		return term
	}
	end := MaxTerm
	for end > 0 && !utf8.RuneStart(term[end]) {
		end--
	}
	return term[:end]
}

// firstSpaceless is below all characters of scripts without spaces.
const firstSpaceless = 0x0E00

// isSpaceless recognises a character of a script whose words no spaces part, and of Korean, whose words
// have endings that differ.
func isSpaceless(r rune) bool {
	return r >= firstSpaceless && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
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

// isJoint reports whether a character can join the words of a compound.
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

// partsOf splits a compound at its joints, at underscores, and where the case starts
// a word: fooBar, HTTPServer, but not v2 or utf8.
func partsOf(compound string) []string {
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

// isPlural reports whether only a plural s follows the capitals, as in URLs.
func isPlural(rest string) bool { return rest == "s" }

func appendPart(words []string, part string) []string {
	if part == "" {
		return words
	}
	return append(words, part)
}
