package language

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word is a word of a text, or a mark that its Splitter keeps.
type Word struct {
	// Text is in lower case, without apostrophes and without joints at its ends.
	Text string
	// Start and End are its place in the text, in bytes.
	Start, End int
}

// Splitter splits a text into words: runs of letters and digits. There are no others than
// the ones below, so that a word is the same to all that read a text for one purpose.
type Splitter struct {
	// joints are marks that belong to a word, except at its ends. One that is in marks,
	// too, belongs to a word only before a letter or digit, as a full stop does.
	joints string
	// marks are marks that are words of their own.
	marks string
	// apart makes words of numbers and of the endings behind apostrophes: "v2" and "it's"
	// are two words each.
	apart bool
}

var (
	// Plain drops the marks between words and the apostrophes within: "don't" is "dont".
	Plain = Splitter{}
	// Spoken keeps apostrophes, which separate "we're" from "were", but parts "v2".
	Spoken = Splitter{joints: "'’", apart: true}
	// Sentence keeps names of files and flags whole, and the marks that phrases may have: for
	// a text of one sentence.
	Sentence = Splitter{joints: "-./_", marks: ",:?!("}
	// Clauses keeps names of files whole, and the marks that end a clause, which no phrase
	// crosses: for a text of several.
	Clauses = Splitter{joints: "-.", marks: ".?!;:,\n"}
	// numbers parts "7th" and "today's".
	numbers = Splitter{apart: true}
)

const apostrophes = "'’"

// List is the texts of All.
func (s Splitter) List(text string) []string {
	words := make([]string, 0, len(text)/5+2) // words of four letters, for one allocation
	for word := range s.All(text) {
		words = append(words, word.Text)
	}
	return words
}

// All yields the words of a text in order, in time linear in its length.
func (s Splitter) All(text string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		start, digits := -1, false
		for at, size := 0, 0; at < len(text); at += size {
			var r rune
			r, size = utf8.DecodeRuneInString(text[at:])
			isDigit := unicode.IsDigit(r)
			if isDigit || isLetter(r) || s.isWithin(r, text[at+size:]) {
				if s.apart && start >= 0 && isDigit != digits {
					if !s.yieldWord(text, start, at, yield) {
						return
					}
					start = at
				}
				if start < 0 {
					start = at
				}
				digits = isDigit
				continue
			}
			if start >= 0 && !s.yieldWord(text, start, at, yield) {
				return
			}
			start = -1
			if strings.ContainsRune(s.marks, r) && !yield(Word{text[at : at+size], at, at + size}) {
				return
			}
		}
		if start >= 0 {
			s.yieldWord(text, start, len(text), yield)
		}
	}
}

// isWithin reports whether a mark belongs to a word, by the rest of the text behind it.
func (s Splitter) isWithin(r rune, rest string) bool {
	switch {
	case strings.ContainsRune(s.joints, r):
		next, _ := utf8.DecodeRuneInString(rest)
		return !strings.ContainsRune(s.marks, r) || unicode.IsDigit(next) || isLetter(next)
	case r == '\'' || r == '’':
		return !s.apart
	}
	return false
}

// yieldWord yields the word between two places, if it has more than joints.
func (s Splitter) yieldWord(text string, start, end int, yield func(Word) bool) bool {
	word := strings.TrimLeft(text[start:end], s.joints)
	start = end - len(word)
	word = strings.TrimRight(word, s.joints)
	end = start + len(word)
	switch {
	case !strings.ContainsAny(word, apostrophes):
	case strings.Contains(s.joints, "'"):
		word = strings.ReplaceAll(word, "’", "'")
	default:
		word = withoutApostrophes.Replace(word)
	}
	return word == "" || yield(Word{strings.ToLower(word), start, end})
}

var withoutApostrophes = strings.NewReplacer("'", "", "’", "")

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Mn, r) }
