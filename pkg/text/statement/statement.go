// Package statement decides whether two texts say the same: nearly the same words in the same order, with equal
// numbers, names and negations. It is pure, does not read rows or decide what happens to them, and never decides
// that one text corrects another.
package statement

import (
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy/rules"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/sketch"
)

// Statement is a parsed text.
type Statement struct {
	words   []string   // stems in order, without filler words
	set     sketch.Set // the set of words
	exact   []string   // numbers, paths, identifiers and quoted names, in order
	negated []string   // the word after each negation, sorted
}

func Parse(text string) Statement {
	var s Statement
	negates := false
	for _, field := range language.Fields(apostrophes.Replace(text)) {
		word := field.Lower()
		var forms []string
		switch {
		case word == "":
		case negations[word] || strings.HasSuffix(word, "n't"):
			negates = true
		case isExact(field):
			s.exact, forms = append(s.exact, word), []string{word}
		case leading[word]:
			forms = []string{word}
		default:
			forms = english.Words(word)
		}
		for _, form := range forms {
			s.words = append(s.words, form)
			if negates {
				s.negated, negates = append(s.negated, form), false
			}
		}
	}
	slices.Sort(s.negated)
	s.set = sketch.SetOf(s.words)
	return s
}

var apostrophes = strings.NewReplacer("’", "'", "—", " ", "–", "-", "…", " ")

// Negations, and prepositions whose exchange changes the meaning of a sentence.
var (
	negations = language.Set("no not never cannot neither nor none nothing without dont avoid forbidden unless except only stop")
	leading   = language.Set("before after on off from to into under over instead than by")
)

// isExact reports whether a word must be the same in both texts: it contains a digit, a mark or an inner capital,
// or is quoted.
func isExact(field language.Field) bool {
	word := field.Word
	inQuotes := strings.ContainsAny(field.Before, "\"'“‘") && strings.ContainsAny(field.Behind, "\"'”’")
	return inQuotes || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' }) ||
		strings.ContainsFunc(word[1:], unicode.IsUpper)
}

// Keys returns the index keys by which statements to compare are found, or none for a text without words. Two texts
// that say the same share a key with probability 0.994 at a similarity of 0.85, and more above it.
func (s Statement) Keys(salt uint64) []string {
	if len(s.set) == 0 {
		return nil
	}
	return sketch.Sign(s.set).Keys(sketch.Hash(slices.Sorted(slices.Values(s.exact))...) ^ salt)
}

// Same reports whether two texts say the same. It is symmetric.
func (s Statement) Same(other Statement) bool {
	return len(s.set)-len(s.exact) >= rules.LeastWords && len(other.set)-len(other.exact) >= rules.LeastWords &&
		sketch.Jaccard(s.set, other.set) >= rules.Similarity &&
		slices.Equal(s.exact, other.exact) && slices.Equal(s.negated, other.negated) &&
		(isWithin(s.words, other.words) || isWithin(other.words, s.words))
}

// isWithin reports whether all words of a are in b, in the same order.
func isWithin(a, b []string) bool {
	at := 0
	for _, word := range b {
		if at < len(a) && a[at] == word {
			at++
		}
	}
	return at == len(a)
}
