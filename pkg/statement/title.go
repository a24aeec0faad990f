package statement

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
)

// Title is a parsed statement of a few words, such as a fact's title. Two of them that
// cannot both hold share a key.
type Title struct {
	Keys   []string
	claims []claim
	values map[string]string // the value by the key of all other words
}

// claim is a word of a title with the words before it, its subject, and the rest of its clause.
type claim struct {
	key     string
	negated bool
	rest    []string
	bounds  []string // words that limit the claim to a case
}

// ParseTitle parses a title.
func ParseTitle(text string) Title {
	words := titleWords(text)
	t := Title{values: map[string]string{}}
	subject := map[string]bool{}
	for i, w := range words {
		if w.text == "" {
			continue
		}
		if len(subject) > 0 {
			t.claims = append(t.claims, claimOf(words, i, slices.Sorted(maps.Keys(subject))))
		}
		subject[w.text] = true
	}
	if all, value := valueOf(words); value != "" {
		t.values["value "+all] = value
	}
	for _, c := range t.claims {
		t.Keys = append(t.Keys, c.key)
	}
	for key := range t.values {
		t.Keys = append(t.Keys, key)
	}
	return t
}

// Contradicts explains why two titles cannot both hold; empty if they can: they deny and state the same of
// one subject, or they give the same thing another value. It is symmetric.
func (t Title) Contradicts(other Title) string {
	for key, value := range t.values {
		if there, has := other.values[key]; has && there != value && unitOf(there) == unitOf(value) {
			return min(value, there) + " here and " + max(value, there) + " there"
		}
	}
	for _, a := range t.claims {
		for _, b := range other.claims {
			if a.key == b.key && a.negated != b.negated && a.isAbout(b) {
				return "one denies what the other states"
			}
		}
	}
	return ""
}

// mostMoreWords is how many words one of two contradicting claims may have that the other
// lacks.
const mostMoreWords = 1

// isAbout reports whether two claims are about the same case: the words behind them are the same, or have
// one more that does not limit it.
func (c claim) isAbout(other claim) bool {
	more := append(without(c.rest, other.rest), without(other.rest, c.rest)...)
	return slices.Equal(c.bounds, other.bounds) && len(more) <= mostMoreWords
}

// titleWord is a field of a title.
type titleWord struct {
	written string // in lower case
	text    string // the stems of a content word; empty for others and for values
	negated bool
	value   string
	ends    bool // punctuation ends the clause behind it
}

func titleWords(text string) []titleWord {
	var all []titleWord
	isNegated := false
	for _, field := range fieldsOf(text) {
		w := titleWord{written: field.Lower(), ends: field.Ends(language.ClauseMarks)}
		switch {
		case denials[w.written] || strings.HasSuffix(w.written, "n't"):
			isNegated = true
		case w.written == "longer" && isNegated:
		case isAmount(w.written):
			w.value = w.written
		default:
			w.text = strings.Join(english.Words(w.written), " ")
			w.negated, isNegated = isNegated && w.text != "", isNegated && w.text == ""
		}
		isNegated = isNegated && !w.ends
		all = append(all, w)
	}
	return all
}

// claimOf is the claim of the word at a place.
func claimOf(words []titleWord, at int, subject []string) claim {
	c := claim{key: "claim " + strings.Join(subject, ",") + " " + words[at].text, negated: words[at].negated}
	for i := at + 1; i < len(words) && !words[i-1].ends && !parting[words[i].written]; i++ {
		switch w := words[i]; {
		case limiting[w.written] || strings.HasSuffix(w.written, "ly"):
			c.bounds = append(c.bounds, w.written)
		case w.text != "":
			c.rest = append(c.rest, w.text)
		case w.value != "":
			c.rest = append(c.rest, w.value)
		}
	}
	return c
}

// valueOf is the only value of a title that belongs to a property and does not merely number a thing ("the
// timeout is 30s", and not "worker 3 restarts"), with the other words.
func valueOf(words []titleWord) (others, value string) {
	var all []string
	for i, w := range words {
		switch {
		case w.value == "" && w.text != "":
			all = append(all, w.text+map[bool]string{true: " not"}[w.negated])
		case w.value == "":
		case value != "" || i == 0 || unitOf(w.value) == "" && !words[i-1].ends && !linking[words[i-1].written]:
			return "", ""
		default:
			value = w.value
		}
	}
	return strings.Join(all, ","), value
}

// isAmount reports whether a word is a number with or without a unit, or a version.
func isAmount(word string) bool {
	digits := strings.TrimLeft(word, "v~$€£<>=≥≤")
	return digits != "" && digits[0] >= '0' && digits[0] <= '9' &&
		strings.TrimFunc(digits, unicode.IsLetter) != "" && !strings.ContainsAny(digits, "/#-_")
}

// unitOf is a value without its digits.
func unitOf(value string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) || r == '.' || r == ',' {
			return -1
		}
		return r
	}, value)
}
