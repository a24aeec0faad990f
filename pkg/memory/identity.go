package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Normalise returns the form of a content that decides identity: runs of white space
// become single blanks, and a final full stop is removed. Case is kept, because it
// matters in flags, paths and identifiers.
func Normalise(content string) string {
	return strings.TrimRight(OneLine(content), ". ")
}

// NewID returns the identity of a memory: 32 hexadecimal digits of the SHA-256 of scope,
// project and normalised content.
func NewID(scope Scope, project, content string) string {
	return digest(string(scope), project, Normalise(content))
}

// The number of digits of an id that are shown, and the minimum in a request.
const (
	shortID  = 12
	leastID  = 4
	fullID   = 32
	idDigits = "0123456789abcdef"
)

// ShortID returns the digits of an id that are shown. Among a hundred thousand memories,
// two share them with a probability of 1 in 50,000; a request for them is then an error. Of
// a session's id, a UUID, it returns the first group.
func ShortID(id string) string {
	const group = 8
	if len(id) > group && id[group] == '-' {
		return id[:group]
	}
	return id[:min(shortID, len(id))]
}

// ShortestIDs maps each id to its shortest prefix, of at least leastID digits, that is
// unique among all ids.
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

// shared returns the length of the common prefix of two ids.
func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// ShortenIDs shortens full ids in a text, such as the reason of a change.
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

// IsIDPrefix reports whether a text can be the beginning of a memory's id.
func IsIDPrefix(text string) bool {
	return len(text) >= leastID && len(text) <= fullID && strings.Trim(text, idDigits) == ""
}

// IDAsShown returns the id of a text that repeats it as memories are shown: with kind and day, in brackets, upper case or
// quotes, or cut by dots. It returns any other text without the white space around it.
func IDAsShown(text string) string {
	text = strings.TrimSpace(text)
	id := strings.Trim(strings.ToLower(text), "[](){}<>`'\"#^*_.,:;…“”‘’«»")
	if end := strings.IndexAny(id, " ,]"); end >= 0 && (strings.HasPrefix(text, "[") || isKindFirst(id[end:])) {
		id = strings.TrimRight(id[:end], ".…")
	}
	if !IsIDPrefix(id) {
		return text
	}
	return id
}

// isKindFirst reports whether the first word of a text is a kind of memories.
func isKindFirst(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && Kind(strings.TrimRight(words[0], ",]")).known()
}

// digest returns the hash of some parts. It separates the parts by a byte that no part contains, so that ("a","bc")
// and ("ab","c") differ.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}
