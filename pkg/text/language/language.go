// Package language reads texts: sentences, fields between spaces, words by four splitters, phrases, and prompts
// that only answer. It also reads tables of rules with their examples. It is pure and links the standard library
// only, so that hooks may use it. Stems, terms and word lists are in package english.
package language

import "strings"

// Set returns the words of a list, which are separated by spaces, as a set.
func Set(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
