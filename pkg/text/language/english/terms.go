package english

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxTerm is the maximum length of a term in bytes. The prefix of a longer one (a hash, a data URL) identifies it as well.
const MaxTerm = 64

type Token struct {
	Term string
	// Whole marks an identifier, path or version kept as written, in addition to its words.
	Whole bool
	// Share is 1, but for a word of a compound 1 divided by the number of the compound's words, because these always occur together.
	Share float64
	// Words is the number of words in the compound that this word belongs to, or 1.
	Words int
	// OfName marks a word of the file name at the end of a path.
	OfName bool
}

// Tokenize splits a text into terms: lower-case stems without stop words.
//
// It splits an identifier, path or flag at case, underscores, dashes, slashes and dots, and also keeps it whole; it
// keeps a path's file name whole too. A name that ends with signs (C++, F#) is one more term. In scripts without
// spaces each pair of neighbouring characters is a term. The number of terms is linear in the length of the text.
func Tokenize(text string) []Token {
	var tokens []Token
	for len(text) > 0 {
		r, end := utf8.DecodeRuneInString(text)
		switch {
		case isSpaceless(r):
			end = len(text) - len(strings.TrimLeftFunc(text, isSpaceless))
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

// signsEnd returns the length of the signs behind a name at the beginning of text (C++, C#), or 0 in a sum or a number.
func signsEnd(text string) int {
	end := len(text) - len(strings.TrimLeft(text, "+#"))
	if next, _ := utf8.DecodeRuneInString(text[end:]); end > 2 || unicode.IsLetter(next) {
		return 0
	}
	return end
}

// appendSigned appends the last name of a compound together with its signs.
func appendSigned(tokens []Token, compound, signs string) []Token {
	name := compound[strings.LastIndexFunc(compound, isJoint)+1:]
	if last, _ := utf8.DecodeLastRuneInString(name); signs == "" || !unicode.IsLetter(last) {
		return tokens
	}
	return append(tokens, Token{Term: cutTerm(strings.ToLower(name + signs)), Whole: true, Share: 1, Words: 1})
}

// appendPairs appends each pair of neighbouring characters, or the only character.
func appendPairs(tokens []Token, run []rune) []Token {
	if len(run) == 1 {
		return append(tokens, Token{Term: string(run), Share: 1, Words: 1})
	}
	for i := range len(run) - 1 {
		tokens = append(tokens, Token{Term: string(run[i : i+2]), Share: 1, Words: 1})
	}
	return tokens
}

// appendCompound appends the words of a compound. It drops an ending after an apostrophe (s, t, ll); a longer piece there belongs to a name and stays.
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
		if parts[0] != compound { // an identifier: the at of _at is not the stop word
			return append(tokens, Token{Term: cutTerm(strings.ToLower(parts[0])), Share: 1, Words: 1})
		}
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

// isPluralAcronym reports whether a word is an acronym with a plural s (URLs). The stemmer would keep this s.
func isPluralAcronym(word string) bool {
	capitals := strings.TrimRight(word, "s")
	return len(capitals) > 1 && len(capitals)+1 == len(word) && capitals == strings.ToUpper(capitals)
}

func cutTerm(term string) string {
	if len(term) <= MaxTerm {
		return term
	}
	return strings.ToValidUTF8(term[:MaxTerm], "")
}

// firstSpaceless is below the first character of any script without spaces.
const firstSpaceless = 0x0E00

// isSpaceless reports whether r is of a script without spaces between words, or Korean, whose word endings vary.
func isSpaceless(r rune) bool {
	return r >= firstSpaceless && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

func isInCompound(r rune) bool {
	return !isSpaceless(r) && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_')
}

// isJoint reports whether r can join the words of a compound.
func isJoint(r rune) bool {
	switch r {
	case '.', '/', '-', ':', '\\', '\'', '’', '@', '+', '#':
		return true
	}
	return false
}

// compoundEnd returns the length of the compound that begins a text. It has joints only between two word characters.
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

// partsOf splits a compound at joints, underscores and where the case begins a word (fooBar, HTTPServer; not v2, utf8).
func partsOf(compound string) []string {
	var words []string
	start := 0
	var before, last rune // the two preceding characters
	for i, r := range compound {
		switch {
		case isJoint(r) || r == '_':
			words = append(words, compound[start:i])
			start = i + utf8.RuneLen(r)
		case unicode.IsUpper(r) && unicode.IsLower(last):
			words = append(words, compound[start:i])
			start = i
		case unicode.IsLower(r) && unicode.IsUpper(last) && unicode.IsUpper(before):
			// HTTPServer: the last capital starts the next word, but not in URLs.
			at := i - utf8.RuneLen(last)
			if at > start && compound[i:] != "s" {
				words = append(words, compound[start:at])
				start = at
			}
		}
		before, last = last, r
	}
	return slices.DeleteFunc(append(words, compound[start:]), func(word string) bool { return word == "" })
}

// leastVariant is the length in bytes of the shortest word with similar ones. Shorter words differ too often by one letter.
const leastVariant = 4

// Likeness returns how similar the spelling of two words is, from 0 to 1. If one word is a prefix of the other, or the edit distance is at most one (two from
// eight letters on), it is 1 minus the share of differing letters, otherwise 0. Similar words have at least four letters, the first two in common.
func Likeness(a, b string) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < leastVariant || len(b) > MaxTerm || a[:2] != b[:2] || !IsPlain(a) || !IsPlain(b) {
		return 0
	}
	if strings.HasPrefix(b, a) && 2*len(a) >= len(b) {
		return float64(len(a)) / float64(len(b))
	}
	slips := 0
	switch {
	case len(b) >= 8:
		slips = 2
	case len(b) >= 5:
		slips = 1
	}
	if len(b)-len(a) > slips {
		return 0
	}
	if d := distance(a, b); d <= slips {
		return 1 - float64(d)/float64(len(b))
	}
	return 0
}

// distance returns the number of letters to change, delete, insert or swap with a neighbour to turn a into b.
func distance(a, b string) int {
	var rows [3][MaxTerm + 1]int
	previous, current, next := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		current[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(current[j]+cost, current[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], previous[j-1]+1)
			}
		}
		previous, current, next = current, next, previous
	}
	return current[len(b)]
}
