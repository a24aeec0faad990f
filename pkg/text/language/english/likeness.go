package english

import (
	"cmp"
	"slices"
	"strings"
)

// Vocabulary finds words similar to a given one: misspelled, shortened or lengthened. It groups its words by prefix
// and keeps duplicates.
type Vocabulary map[string][]string

// startBytes is the number of leading bytes that similar words share.
const startBytes = 2

// minVariantBytes is the length in bytes of the shortest word with variants. Shorter words differ too often by one
// letter.
const minVariantBytes = 4

// Add adds a word if it is long enough to have variants.
func (v Vocabulary) Add(word string) {
	if len(word) >= minVariantBytes && IsPlain(word) {
		v[word[:startBytes]] = append(v[word[:startBytes]], word)
	}
}

// Remove removes one occurrence of a word. The word must have been added.
func (v Vocabulary) Remove(word string) {
	if len(word) < minVariantBytes || !IsPlain(word) {
		return
	}
	start := word[:startBytes]
	words := v[start]
	at := slices.Index(words, word)
	words[at] = words[len(words)-1]
	if words = words[:len(words)-1]; len(words) == 0 {
		delete(v, start)
		return
	}
	v[start] = words
}

// Variant is a similar word with its likeness, from 0 to 1.
type Variant struct {
	Word  string
	Alike float64
}

// maxVariants is the maximum number of variants of a word.
const maxVariants = 3

// Variants returns the most similar words, best first.
func (v Vocabulary) Variants(word string) []Variant {
	if len(word) < minVariantBytes || !IsPlain(word) {
		return nil
	}
	var found []Variant
	for _, other := range v[word[:startBytes]] {
		if alike := likeness(word, other); alike > 0 {
			found = append(found, Variant{other, alike})
		}
	}
	slices.SortFunc(found, func(a, b Variant) int {
		return cmp.Or(cmp.Compare(b.Alike, a.Alike), strings.Compare(a.Word, b.Word))
	})
	return found[:min(len(found), maxVariants)]
}

// likeness returns 1 minus the share of differing letters if one word is a prefix of the other or the edit distance
// is at most one (two from eight letters on). Otherwise it returns 0.
func likeness(a, b string) float64 {
	if len(a) > len(b) {
		a, b = b, a
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
