package english

import (
	"strings"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
)

// MaxTerm bounds a term, in bytes; longer ones (a hash, a data URL) identify nothing better
// than their prefix.
const MaxTerm = 64

// Token is one searchable term of a text.
type Token struct {
	Term string
	// Whole says that the term is an identifier, path or version kept as written, in
	// addition to its words.
	Whole bool
}

// Tokenize splits a text into terms: lower-case stems without stop words. An
// identifier, path or flag is split by case, snake, dash, path and dot, and also kept
// whole; of a path the file name is kept whole too. Of scripts without spaces, each two
// neighbouring characters are a term. It never fails, and the number of terms is linear in
// the length of the text.
func Tokenize(said string) []Token {
	var tokens []Token
	for compound, spaceless := range language.Compounds(said) {
		if spaceless {
			tokens = appendPairs(tokens, []rune(compound))
		} else {
			tokens = appendCompound(tokens, compound)
		}
	}
	return tokens
}

// appendPairs adds each two neighbouring characters, or the only one.
func appendPairs(tokens []Token, run []rune) []Token {
	if len(run) == 1 {
		return append(tokens, Token{Term: string(run)})
	}
	for i := range len(run) - 1 {
		tokens = append(tokens, Token{Term: string(run[i : i+2])})
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
	parts := language.Parts(compound)
	switch len(parts) {
	case 0:
		return tokens
	case 1:
		return appendWord(tokens, parts[0])
	}
	tokens = append(tokens, Token{Term: cutTerm(strings.ToLower(compound)), Whole: true})
	if at := strings.LastIndexAny(compound, `/\`); at >= 0 {
		if name := compound[at+1:]; len(language.Parts(name)) > 1 {
			tokens = append(tokens, Token{Term: cutTerm(strings.ToLower(name)), Whole: true})
		}
	}
	for _, part := range parts {
		tokens = appendWord(tokens, part)
	}
	return tokens
}

func appendWord(tokens []Token, word string) []Token {
	if isPluralAcronym(word) {
		word = word[:len(word)-1]
	}
	word = strings.ToLower(word)
	if IsStopWord(word) || word == "" {
		return tokens
	}
	return append(tokens, Token{Term: cutTerm(Stem(word))})
}

// isPluralAcronym says that a word is capitals with an s, as in URLs: the stemmer would
// keep the s of a word without vowels.
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
