package consent

import "strings"

// isOpen reports whether a shell would put something into a word that is not known here.
func isOpen(word string) bool {
	return strings.ContainsAny(word, "$`*?") || strings.Contains(word, "{}")
}

// words returns the words of a list.
func words(list string) map[string]bool {
	made := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		made[word] = true
	}
	return made
}
