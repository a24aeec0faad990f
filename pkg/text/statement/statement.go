// Package statement decides whether two texts say the same: nearly the same words in the same order, with equal numbers, names and negations. It is pure, does
// not read rows or decide what happens to them, and never decides that one text corrects another.
package statement

import (
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

type Statement struct {
	// Guard holds the parts that are equal in texts that say the same: the numbers, paths, identifiers and quoted
	// names, in order, and the word after each negation.
	Guard    string
	words    []string // stems in order, without stop words
	distinct int      // number of different words outside of Guard
	all      int      // number of different words
}

func Parse(text string) Statement {
	var s Statement
	var exact, negated []string
	negates := false
	for _, field := range language.Fields(apostrophes.Replace(text)) {
		word := strings.ToLower(field.Word)
		var forms []string
		switch {
		case word == "":
		case negations[word] || strings.HasSuffix(word, "n't"):
			negates = true
		case isExact(field):
			exact, forms = append(exact, field.Word), []string{word}
		case leading[word]:
			forms = []string{word}
		default:
			for _, part := range language.Plain.List(word) {
				if !english.IsStopWord(part) && !fillers[part] {
					forms = append(forms, english.Stem(part))
				}
			}
		}
		for _, form := range forms {
			s.words = append(s.words, form)
			if negates {
				negated, negates = append(negated, form), false
			}
		}
	}
	slices.Sort(negated)
	s.Guard = strings.Join(exact, "\x00") + "\x01" + strings.Join(negated, "\x00")
	s.all = len(slices.Compact(slices.Sorted(slices.Values(s.words))))
	s.distinct = s.all - len(exact)
	return s
}

var apostrophes = strings.NewReplacer("’", "'", "—", " ", "–", "-", "…", " ")

// Negations, and words of grammar whose exchange changes the meaning of a sentence.
var (
	negations = language.Set("no not never cannot neither nor none nothing without dont avoid forbidden unless except only stop")
	leading   = language.Set("before after on off from to into under over instead than by up down out more most few may might again")
)

// fillers are further words that add nothing, beside the stop words.
var fillers = language.Set("always already currently use uses using used utilize")

// isExact reports whether a word must be the same in both texts: it is quoted, or has a digit, a mark or an inner capital.
func isExact(field language.Field) bool {
	word := field.Word
	inQuotes := strings.ContainsAny(field.Before, "\"'“‘") && strings.ContainsAny(field.Behind, "\"'”’")
	return inQuotes || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' }) ||
		strings.ContainsFunc(word[1:], unicode.IsUpper)
}

// How alike two texts must be to say the same.
const (
	// similarity is the least Jaccard similarity of the sets of normalised words, computed exactly. Source:
	// docs/consolidation.md; checked on testdata/near-duplicates.
	similarity = 0.85
	// leastWords is the least number of different words, without numbers and paths, of each text: one common word proves nothing.
	leastWords = 2
)

// Same reports whether two texts say the same: the longer has all words of the other in order, and few more.
func (s Statement) Same(other Statement) bool {
	fewer, more := min(s.all, other.all), max(s.all, other.all)
	return s.distinct >= leastWords && other.distinct >= leastWords &&
		float64(fewer)/float64(more) >= similarity && s.Guard == other.Guard &&
		(english.IsInOrder(s.words, other.words) || english.IsInOrder(other.words, s.words))
}
