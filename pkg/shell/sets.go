package shell

import "strings"

// setOf makes a set of the words of a list.
func setOf(list string) map[string]bool {
	made := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		made[word] = true
	}
	return made
}
