package english

import "strings"

// leastVariant is the length in bytes of the shortest word with similar ones. Shorter words differ too often by one letter.
const leastVariant = 4

// Likeness returns how similar the spelling of two words is, from 0 to 1: 1 minus the share of differing letters if one
// word is a prefix of the other, or if the edit distance is at most one (two from eight letters on), otherwise 0. Similar
// words have at least four letters, the first two in common.
func Likeness(a, b string) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < leastVariant || len(b) > MaxTerm || a[:2] != b[:2] || !IsPlain(a) || !IsPlain(b) {
		return 0
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
