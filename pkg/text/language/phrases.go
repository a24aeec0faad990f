package language

import (
	"slices"
	"strings"
)

// Phrases finds phrases in the words of a sentence, all in one pass. A phrase that begins with "^" matches only at
// the beginning of the sentence; "*" is any one word, "a|b" either word.
type Phrases struct {
	anywhere, opening map[string][]phrase // keyed by the first word
}

type phrase struct {
	rest [][]string // the words after the first one, each with its alternatives
	bits uint32
}

// NewPhrases returns a matcher for one list of phrases.
func NewPhrases(list ...string) Phrases {
	var p Phrases
	p.Add(1, list)
	return p
}

// Add adds phrases. Find returns bits for each sentence that contains one of them.
func (p *Phrases) Add(bits uint32, list []string) {
	if p.anywhere == nil {
		p.anywhere, p.opening = map[string][]phrase{}, map[string][]phrase{}
	}
	for _, text := range list {
		into := p.anywhere
		rest, opens := strings.CutPrefix(text, "^")
		if opens {
			into = p.opening
		}
		var words [][]string
		for word := range strings.FieldsSeq(rest) {
			words = append(words, strings.Split(word, "|"))
		}
		for _, first := range words[0] {
			into[first] = append(into[first], phrase{words[1:], bits})
		}
	}
}

// In reports whether a sentence, given as its words, contains any of the phrases.
func (p Phrases) In(words []string) bool { return p.Find(words) != 0 }

// Find returns the union of the bits of all phrases in a sentence, given as its words.
func (p Phrases) Find(words []string) uint32 {
	var found uint32
	for i, word := range words {
		found |= bitsOf(p.anywhere[word], words[i+1:])
		if i == 0 {
			found |= bitsOf(p.opening[word], words[1:])
		}
	}
	return found
}

func bitsOf(all []phrase, rest []string) uint32 {
	var found uint32
	for _, one := range all {
		if found&one.bits != one.bits && one.leads(rest) {
			found |= one.bits
		}
	}
	return found
}

// leads reports whether words begin with the phrase without its first word.
func (p phrase) leads(words []string) bool {
	if len(p.rest) > len(words) {
		return false
	}
	for i, want := range p.rest {
		if want[0] != "*" && !slices.Contains(want, words[i]) {
			return false
		}
	}
	return true
}
