package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Normalise brings content to the form that decides identity: white space folded to
// single blanks, and no full stop at the end. Case is kept, because it matters in
// flags, paths and identifiers.
func Normalise(content string) string {
	return strings.TrimRight(OneLine(content), ". ")
}

// NewID is the identity of a memory: 32 hexadecimal digits of the SHA-256 over
// scope, project and normalised content.
func NewID(scope Scope, project, content string) string {
	return digest(string(scope), project, Normalise(content))
}

// The digits of an id: those that are shown, and the fewest that may be asked by.
const (
	shortID  = 12
	leastID  = 4
	fullID   = 32
	idDigits = "0123456789abcdef"
)

// ShortID is the part of an id that is shown. Two of a hundred thousand memories share
// it with a probability of 1 in 50,000; asking for it is then an error.
func ShortID(id string) string { return id[:min(shortID, len(id))] }

// ShortestIDs are the beginnings of ids, at least leastID digits long, with which no other
// of all ids begins, by id.
func ShortestIDs(ids, all []string) map[string]string {
	alike, digits := map[string][]string{}, make(map[string]int, len(ids))
	beginning := func(id string) string { return id[:min(leastID, len(id))] }
	for _, id := range ids {
		alike[beginning(id)] = append(alike[beginning(id)], id)
		digits[id] = leastID
	}
	for _, other := range all {
		for _, id := range alike[beginning(other)] {
			if id != other {
				digits[id] = max(digits[id], shared(id, other)+1)
			}
		}
	}
	short := make(map[string]string, len(ids))
	for id, n := range digits {
		short[id] = id[:min(n, len(id))]
	}
	return short
}

// shared is the length of the common beginning of two ids.
func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// ShortenIDs shortens the whole ids in a text, such as the reason of a change.
func ShortenIDs(text string) string {
	var out strings.Builder
	for text != "" {
		word := len(text) - len(strings.TrimLeft(text, idDigits))
		if word == fullID {
			out.WriteString(text[:shortID])
		} else {
			out.WriteString(text[:word])
		}
		text = text[word:]
		other := strings.IndexAny(text, idDigits)
		if other < 0 {
			other = len(text)
		}
		out.WriteString(text[:other])
		text = text[other:]
	}
	return out.String()
}

// IsIDBeginning tells whether a memory's id can begin like that.
func IsIDBeginning(text string) bool {
	return len(text) >= leastID && len(text) <= fullID && strings.Trim(text, idDigits) == ""
}

// FileID is the identity of a file in a project.
func FileID(project, path string) string { return digest(project, path) }

// digest joins the parts with a byte that none of them contains, so that ("a","bc") and
// ("ab","c") differ.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}
