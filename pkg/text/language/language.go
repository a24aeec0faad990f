// Package language is the one reader of texts: sentences, the fields between blanks, words by four
// splitters, phrases, expressions of time, and prompts that only answer. It also reads tables of
// rules with their examples. It is pure, and links the standard library only, so that a
// hook may use it. Stems, terms and lists of words are in its package english.
package language

import "strings"

// Set is the set of the words of a list, which blanks part.
func Set(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
