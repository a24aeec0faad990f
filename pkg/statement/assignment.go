package statement

import (
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
)

// assignment is the one value that a sentence gives a subject, such as "the staging database
// listens on port 6543".
type assignment struct {
	about string // the stems of the words beside the value, sorted
	form  string // of the value: a port, a version, a host or a number
	value string
	isNew bool // the value has changed, by the sentence itself
}

// key is the common key of two assignments of which only one can be true.
func (c assignment) key() string {
	if c.about == "" {
		return ""
	}
	return "=" + c.form + " " + c.about
}

// assigned is the assignment of a text's first clause that has a value. A clause with two values, a
// negation, or a word that makes it a plan, a report or an addition has none.
func assigned(text string) assignment {
	if strings.HasSuffix(strings.TrimSpace(text), "?") {
		return assignment{}
	}
	for _, clause := range clauses(text) {
		if !slices.ContainsFunc(clause, isValue) {
			continue
		}
		return assignmentOf(clause)
	}
	return assignment{}
}

func assignmentOf(clause []string) (c assignment) {
	var about []string
	for _, word := range clause {
		switch {
		case hedging[word], negations[word] != "", strings.HasSuffix(word, "n't"), isValue(word) && c.value != "":
			return assignment{}
		case isValue(word):
			c.value, c.form = word, formOf(word)
		case changing[word], word == "now":
			c.isNew = true
		case !small[word] && !predicates[word] && !turns[word] && !idle[word]:
			about = append(about, stemOf(word))
		}
	}
	slices.Sort(about)
	c.about = strings.Join(about, " ")
	return c
}

// clauses are the words of each clause of a text, in lower case.
func clauses(text string) (all [][]string) {
	var clause []string
	for _, field := range fieldsOf(text) {
		word := field.Lower()
		if openers[word] {
			all, clause = append(all, clause), nil
		}
		if word != "" {
			clause = append(clause, word)
		}
		if field.Ends(language.ClauseMarks) {
			all, clause = append(all, clause), nil
		}
	}
	return append(all, clause)
}

// formOf separates values that cannot replace each other. Numbers of four digits and more are ports,
// years and the like.
func formOf(value string) string {
	const portDigits = 4
	switch {
	case strings.ContainsFunc(value, unicode.IsLetter):
		return "name"
	case strings.ContainsAny(value, ".:"):
		return "version"
	case len(value) >= portDigits:
		return "port"
	default:
		return "number"
	}
}
