package memory

import (
	"strings"
	"unicode/utf8"
)

// OneLine folds all white space to single blanks.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Cut shortens a text to at most limit bytes, at the end of a character, and
// marks the cut with an ellipsis that comes on top.
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

// Plural is a noun for so many: session, sessions; memory, memories.
func Plural(n int, one string) string {
	stem, isY := strings.CutSuffix(one, "y")
	switch {
	case n == 1:
		return one
	case isY && !strings.HasSuffix(stem, "a"):
		return stem + "ies"
	}
	return one + "s"
}

// CutWords is Cut at the end of a word, unless more than half would be lost: of a script without blanks, or a long path.
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

// CutFront is the end of a text, at most limit bytes, from the start of a line.
func CutFront(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	_, rest, _ := strings.Cut(text[len(text)-limit:], "\n")
	return rest
}

const ellipsis = "…"

// CutOnce is Cut, except that a text that was cut to the same limit before stays as it
// is.
func CutOnce(text string, limit int) string {
	if len(text) <= limit+len(ellipsis) && strings.HasSuffix(text, ellipsis) {
		return text
	}
	return Cut(text, limit)
}
