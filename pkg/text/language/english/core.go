package english

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// Core is the content of a text without its wording: stems without the words found on
// nearly every line.
type Core struct {
	words   []string
	has     map[string]bool
	negated bool
	limited bool   // it holds for a part only: it has an exception or a condition
	parts   []Core // the sentences of a text that has several
}

// One in mayLack of the words beyond the first few may be missing in a text with the same content. Each of
// the first few must be there.
const (
	mayLack  = 5
	fewWords = 2
)

// mostOfText bounds the part of a text that its core is made of, in bytes.
const mostOfText = 8 << 10

// CoreOf takes a text apart.
func CoreOf(text string) Core {
	text = text[:min(len(text), mostOfText)]
	c := coreOf(text)
	if sentences := sentenceEnd.Split(text, -1); len(sentences) > 1 {
		for _, one := range sentences {
			c.parts = append(c.parts, coreOf(one))
		}
	}
	return c
}

// sentenceEnd parts sentences and lines.
var sentenceEnd = regexp.MustCompile(`[.!?;]\s+|\n+`)

func coreOf(text string) Core {
	c := Core{has: map[string]bool{}}
	for _, t := range Tokenize(text) {
		if !t.Whole && !c.has[t.Term] {
			c.has[t.Term] = true
			c.words = append(c.words, t.Term)
		}
	}
	for _, word := range language.Spoken.List(text) {
		switch {
		case word == "no", word == "not", word == "never", word == "without", word == "neither", word == "nor",
			strings.HasSuffix(word, "n't"):
			c.negated = true
		case word == "except", word == "unless", word == "excluding", word == "only", word == "if":
			c.limited = true
		}
	}
	return c
}

// IsContainedIn reports whether another text, or a sentence of it, already has this content. A number that the other lacks makes a
// difference, and so does a negation in only one of them, or an exception or a condition that only the other has: a sentence that takes
// a part away does not say the whole.
func (c Core) IsContainedIn(other Core) bool {
	if len(c.words) == 0 {
		return false
	}
	if slices.ContainsFunc(other.parts, c.IsContainedIn) {
		return true
	}
	if c.negated != other.negated || other.limited && !c.limited {
		return false
	}
	allowed := max(len(c.words)-fewWords, 0) / mayLack
	for _, word := range c.words {
		if other.has[word] {
			continue
		}
		if allowed--; allowed < 0 || strings.ContainsFunc(word, unicode.IsDigit) {
			return false
		}
	}
	return true
}

// Shared counts the words that another text has, too.
func (c Core) Shared(other Core) (n int) {
	for _, word := range c.words {
		if other.has[word] {
			n++
		}
	}
	return n
}

// IsNegated reports whether the text has a negation.
func (c Core) IsNegated() bool { return c.negated }

// Len counts the words.
func (c Core) Len() int { return len(c.words) }
