package statement

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// isValue reports whether a word is a value, such as a port or version, and no name.
func isValue(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }

// isAboutTheSame reports whether two sentences with values have one subject: the same words before their
// value or, where one has none there or names none, a property.
func isAboutTheSame(later, earlier []string) bool {
	a, b := subjectOf(later), subjectOf(earlier)
	if len(a) > 0 && len(b) > 0 {
		return maps.Equal(a, b)
	}
	return slices.ContainsFunc(later, func(word string) bool { return predicates[word] && slices.Contains(earlier, word) })
}

// subjectOf are the words of a sentence's subject: those before its first value, or the
// next ones behind it.
func subjectOf(said []string) map[string]bool {
	first := slices.IndexFunc(said, isValue)
	if first < 0 {
		first = len(said)
	}
	if found := subjectWords(said[:first]); len(found) > 0 {
		return found
	}
	rest := said[min(first+1, len(said)):]
	if end := slices.IndexFunc(rest, func(word string) bool { return turns[word] || isValue(word) }); end >= 0 {
		rest = rest[:end]
	}
	return subjectWords(rest)
}

func subjectWords(said []string) map[string]bool {
	found := map[string]bool{}
	for _, word := range said {
		if !small[word] && !predicates[word] && !turns[word] && !idle[word] {
			found[stemOf(word)] = true
		}
	}
	return found
}
