// Package statement decides whether two texts say the same: the same words in the same order, but
// for few, with equal numbers, names and negations. It is pure. It has no access to rows, does
// not decide their fate, and never decides that one text corrects another.
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
	words   []string   // stems without words that add nothing, in order
	set     sketch.Set // of them
	exact   []string   // in order: numbers, paths, identifiers, names in quotation marks
	negated []string   // sorted: the word behind each negation
}

// Parse parses a text.
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

// The words that negate, and the prepositions that another one turns around.
var (
	negations = language.Set("no not never cannot neither nor none nothing without dont avoid forbidden unless except only stop")
	leading   = language.Set("before after on off from to into under over instead than by")
)

// isExact reports whether a word must be the same in both texts: it has a digit or a mark inside, is in capitals
// inside, or stands in quotation marks.
func isExact(field language.Field) bool {
	word := field.Word
	inQuotes := strings.ContainsAny(field.Before, "\"'“‘") && strings.ContainsAny(field.Behind, "\"'”’")
	return inQuotes || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' }) ||
		strings.ContainsFunc(word[1:], unicode.IsUpper)
}

// Keys are the index keys of statements to compare with: two that say the same share at least one
// with probability 0.994 at a similarity of 0.85, and more above. A text without words has none.
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

// isWithin reports whether the words of one list are all in another, in the same order.
func isWithin(a, b []string) bool {
	at := 0
	for _, word := range b {
		if at < len(a) && a[at] == word {
			at++
		}
	}
	return at == len(a)
}
