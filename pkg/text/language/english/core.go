package english

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// Core is the content of a text without its wording: its stems without stop words.
type Core struct {
	words   []string
	has     map[string]bool
	Negated bool     // has a negation
	limited bool     // has an exception or a condition, so it holds in part only
	names   []string // its words with a sign, a digit or an inner capital, such as C++, >0, src/a and MAX
	parts   []Core   // the sentences, if there are several
}

// IsContainedIn tolerates one missing word for every mayLack words beyond the first fewWords.
const (
	mayLack  = 5
	fewWords = 2
)

// mostOfText is the number of bytes of a text that CoreOf reads.
const mostOfText = 8 << 10

// CoreOf returns the core of a text and of each of its sentences.
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

// sentenceEnd separates sentences and lines.
var sentenceEnd = regexp.MustCompile(`[.!?;]\s+|\n+`)

func coreOf(text string) Core {
	c := Core{has: map[string]bool{}}
	for _, t := range Tokenize(text) {
		if !t.Whole && !c.has[t.Term] {
			c.has[t.Term] = true
			c.words = append(c.words, t.Term)
		}
	}
	for field := range strings.FieldsSeq(text) {
		if name := strings.Trim(field, ".,;:!?\"'“”‘’«»`"); strings.ContainsFunc(name, isMark) || len(name) > 1 && strings.ContainsFunc(name[1:], unicode.IsUpper) {
			c.names = append(c.names, strings.TrimSuffix(strings.TrimPrefix(name, "**"), "**"))
		}
	}
	for _, word := range language.Spoken.List(text) {
		switch {
		case word == "no", word == "not", word == "never", word == "without", word == "neither", word == "nor",
			strings.HasSuffix(word, "n't"):
			c.Negated = true
		case word == "except", word == "unless", word == "excluding", word == "only", word == "if":
			c.limited = true
		}
	}
	return c
}

// IsContainedIn reports whether another text, or one of its sentences, has all this content. It is false if the other text lacks a number, if only one text is
// negated, or if only the other text has an exception or a condition, because the other text then holds in part only.
func (c Core) IsContainedIn(other Core) bool {
	return c.isIn(other, max(len(c.words)-fewWords, 0)/mayLack)
}

// IsWhollyIn is IsContainedIn without tolerance, and for words in the same order and the same names: of two sentences of the user's, what
// differs may be the correction.
func (c Core) IsWhollyIn(other Core) bool {
	if slices.ContainsFunc(other.parts, c.IsWhollyIn) {
		return true
	}
	other.parts = nil
	isSameLength := len(c.words) == len(other.words)
	return c.isIn(other, 0) && IsInOrder(c.words, other.words) && IsInOrder(c.names, other.names) && (!isSameLength || len(c.names) == len(other.names))
}

func isMark(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }

// IsInOrder reports whether all words of a are in b, in the same order.
func IsInOrder(a, b []string) bool {
	for ; len(a) > 0 && len(a) <= len(b); b = b[1:] {
		if a[0] == b[0] {
			a = a[1:]
		}
	}
	return len(a) == 0
}

func (c Core) isIn(other Core, mayMiss int) bool {
	if len(c.words) == 0 {
		return false
	}
	if slices.ContainsFunc(other.parts, func(part Core) bool { return c.isIn(part, mayMiss) }) {
		return true
	}
	if c.Negated != other.Negated || other.limited && !c.limited {
		return false
	}
	for _, word := range c.words {
		if other.has[word] {
			continue
		}
		if mayMiss--; mayMiss < 0 || strings.ContainsFunc(word, unicode.IsDigit) {
			return false
		}
	}
	return true
}

// leastShared is the minimum number of words that a correction shares with the text that it corrects.
const leastShared = 2

// ToShare returns the words of the text that a newer text may share, and how many of them it must share at least so that it may correct this text: half of them
// and two, or the only one besides "never" and "always". The text must then not be shown alone.
func (c Core) ToShare() (words []string, least int) {
	own := slices.DeleteFunc(slices.Clone(c.words), func(word string) bool { return word == "never" || word == "alway" })
	if len(own) == 1 {
		return own, 1
	}
	return c.words, max(leastShared, (len(c.words)+1)/2)
}

// MayBeCorrectedBy reports whether another text, if it is newer, may correct this text (see ToShare).
func (c Core) MayBeCorrectedBy(other Core) bool {
	words, least := c.ToShare()
	for _, word := range words {
		if other.has[word] {
			least--
		}
	}
	return least <= 0
}

// Shared returns the number of words that another text has too.
func (c Core) Shared(other Core) (n int) {
	for _, word := range c.words {
		if other.has[word] {
			n++
		}
	}
	return n
}

func (c Core) Len() int { return len(c.words) }

// Words returns the different words in the order of the text. The caller must not change the slice.
func (c Core) Words() []string { return c.words }
