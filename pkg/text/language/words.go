package language

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

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
)

const apostrophes = "'’"

// List returns the words of a text in order, and the marks that the splitter keeps. Words are in lower case, without
// apostrophes and without joints at their ends. It takes time linear in the length of the text.
func (s Splitter) List(text string) []string {
	words := make([]string, 0, len(text)/5+2) // words of four letters, for one allocation
	start, digits := -1, false
	end := func(at int) {
		if start >= 0 {
			if word := s.word(text[start:at]); word != "" {
				words = append(words, word)
			}
		}
		start = -1
	}
	for at, size := 0, 0; at < len(text); at += size {
		var r rune
		r, size = utf8.DecodeRuneInString(text[at:])
		isDigit := unicode.IsDigit(r)
		if isDigit || isLetter(r) || s.isWithin(r, text[at+size:]) {
			if s.apart && isDigit != digits {
				end(at)
			}
			if start < 0 {
				start = at
			}
			digits = isDigit
			continue
		}
		end(at)
		if strings.ContainsRune(s.marks, r) {
			words = append(words, text[at:at+size])
		}
	}
	end(len(text))
	return words
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

// word returns a run of letters, digits and joints as a word; empty if it has only joints.
func (s Splitter) word(run string) string {
	word := strings.Trim(run, s.joints)
	switch {
	case !strings.ContainsAny(word, apostrophes):
	case strings.Contains(s.joints, "'"):
		word = strings.ReplaceAll(word, "’", "'")
	default:
		word = withoutApostrophes.Replace(word)
	}
	return strings.ToLower(word)
}

var withoutApostrophes = strings.NewReplacer("'", "", "’", "")

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Mn, r) }
