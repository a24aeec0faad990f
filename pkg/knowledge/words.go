package knowledge

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
)

// tokens splits a sentence into lower-case words without apostrophes ("don’t" becomes
// "dont"). The marks "," ":" "?" "!" and "(" are words of their own.
func tokens(sentence string) []string { return language.Sentence.List(unified.Replace(sentence)) }

// unified separates "we'll" from "well".
var unified = strings.NewReplacer("we'll", "we will", "We'll", "we will", "we’ll", "we will", "We’ll", "we will", "->", " ")

// opening is the index of the first word after the openers of a sentence. A word that a
// rule expects at the start is no opener.
func opening(words []string) int {
	start := 0
	for start < len(words) && opensOnly[words[start]] {
		start++
	}
	return start
}

// withoutOpener cuts the words that only tie a sentence to the one before: "ok, so we
// never ..."
func withoutOpener(text string) string {
	rest := openers.ReplaceAllString(text, "")
	if strings.HasPrefix(rest, "that ") || len(strings.Fields(rest)) < minWords { // "so that ..."
		return text
	}
	return rest
}

var openers = regexp.MustCompile(`(?i)^((and|also|so|ok|okay|oh|hmm?|yes|yeah|yep|yup|btw|by the way|fyi)[,.!:]* +|(well|right|great|thanks|cool|perfect|nice|sure)[,.!:]+ +)+`)

// isBare reports whether words name nothing: "no no no, that's not it".
func isBare(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !bare[word] && !opensOnly[word] })
}

var (
	opensOnly  = words("openers")
	bare       = words("bare")
	askers     = words("askers")
	requesters = words("requesters")
)

// fillers are phrases of sentences about the work and not its subject.
var fillers = phrases("fillers")

// chatter are openings of sentences that report no work and no finding.
var chatter = phrases("chatter")

// lastLetters is the last word that begins with a letter.
func lastLetters(words []string) string {
	for _, word := range slices.Backward(words) {
		if unicode.IsLetter(rune(word[0])) {
			return word
		}
	}
	return ""
}

// goOns are words that only ask the assistant to continue.
var goOns = words("go on")

// GoOn reports whether a prompt only asks the assistant to go on, so that its turn belongs to the one
// before.
func GoOn(prompt string) bool {
	words := tokens(prompt)
	return len(words) <= 6 && !slices.ContainsFunc(words, func(word string) bool { return !goOns[word] })
}
