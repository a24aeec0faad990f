package language

import (
	"slices"
	"strings"
)

// Phrases finds phrases in the words of a sentence, all in one pass, keyed by their first words. In a phrase "*" is any
// one word, "a|b" either word.
type Phrases map[string][]phrase

type phrase struct {
	rest [][]string // the words after the first word, each with its alternatives
	bits uint32
}

func NewPhrases(list ...string) Phrases {
	p := Phrases{}
	p.Add(1, list)
	return p
}

// Add adds phrases. Find returns bits for each sentence that contains one of them.
func (p Phrases) Add(bits uint32, list []string) {
	for _, text := range list {
		var words [][]string
		for word := range strings.FieldsSeq(text) {
			words = append(words, strings.Split(word, "|"))
		}
		for _, first := range words[0] {
			p[first] = append(p[first], phrase{words[1:], bits})
		}
	}
}

// In reports whether a sentence, given as its words, contains any of the phrases.
func (p Phrases) In(words []string) bool { return p.Find(words) != 0 }

// Find returns the union of the bits of all phrases in a sentence, given as its words.
func (p Phrases) Find(words []string) (found uint32) {
	for i, word := range words {
		for _, one := range p[word] {
			if one.leads(words[i+1:]) {
				found |= one.bits
			}
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
