package memory

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// OneLine replaces runs of white space by single blanks.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Union returns the elements of lists, sorted and each once.
func Union(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// Each calls of for each element of a list, and returns the results in order.
func Each[T, R any](all []T, of func(T) R) []R {
	results := make([]R, 0, len(all))
	for _, one := range all {
		results = append(results, of(one))
	}
	return results
}

// EachIf calls of for each element, and returns, in order, the results that of returned together with true.
func EachIf[T, R any](all []T, of func(T) (R, bool)) (results []R) {
	for _, one := range all {
		if result, is := of(one); is {
			results = append(results, result)
		}
	}
	return results
}

// AddNew appends to a list the elements that it does not have yet.
func AddNew[T comparable](list []T, more ...T) []T {
	for _, one := range more {
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

// Cut truncates a text to at most limit bytes, at the end of a character, and appends an ellipsis, which is not counted.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}

// Counted returns a number with its noun: 1 session, 2 sessions, 3 memories.
func Counted(n int, one string) string {
	stem, isY := strings.CutSuffix(one, "y")
	switch {
	case n == 1:
		return "1 " + one
	case isY && !strings.HasSuffix(stem, "a"):
		return fmt.Sprint(n, " ", stem, "ies")
	}
	return fmt.Sprint(n, " ", one, "s")
}

// CutWords cuts like Cut, but at the end of a word, unless that would lose more than half, as in a long path.
func CutWords(text string, limit int) string {
	cut := Cut(text, limit)
	if cut == text || strings.HasPrefix(text[len(cut)-len(ellipsis):], " ") {
		return cut
	}
	if end := strings.LastIndexByte(cut, ' '); 2*end >= limit {
		return strings.TrimRight(cut[:end], " ,;:") + ellipsis
	}
	return cut
}

// CutFront returns the end of a text, at most limit bytes, from the start of a line.
func CutFront(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	_, rest, _ := strings.Cut(text[len(text)-limit:], "\n")
	return rest
}

const ellipsis = "…"

// CutOnce cuts like Cut, but leaves alone a text that was already cut to this limit.
func CutOnce(text string, limit int) string {
	if len(text) <= limit+len(ellipsis) && strings.HasSuffix(text, ellipsis) {
		return text
	}
	return Cut(text, limit)
}

// TokenCounter counts tokens. The token counts of lines add up to the count of the whole text, if each line starts
// with a character other than white space or a slash and ends in one newline. Budgets rely on this, and the tests of
// package tokens check it.
type TokenCounter interface {
	// Count returns the number of tokens of text, 0 for an empty text.
	Count(text string) int
	// Encoding returns the name of the encoding, such as o200k_base.
	Encoding() string
}
