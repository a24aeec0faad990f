package knowledge

import "strings"

// Key is the same for sentences that differ in numbers, case and marks only: what
// an assistant writes at the end of each turn has one key.
func Key(text string) string {
	var kept []string
	for _, word := range tokens(text) {
		if len(word) > 1 && !strings.ContainsAny(word, "0123456789/") {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}
