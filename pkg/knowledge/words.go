package knowledge

import (
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
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
	rest := text
	for {
		first, behind, _ := strings.Cut(rest, " ")
		fields := language.Fields(first)
		if len(fields) == 0 || !tying[fields[0].Lower()] || exclaiming[fields[0].Lower()] && fields[0].Behind == "" {
			break
		}
		rest = strings.TrimLeft(behind, " ")
	}
	if strings.HasPrefix(rest, "that ") || len(strings.Fields(rest)) < minWords { // "so that ..."
		return text
	}
	return rest
}

// isBare reports whether words name nothing: "no no no, that's not it".
func isBare(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !bare[word] && !opensOnly[word] })
}

var (
	tying      = english.List("tying")
	exclaiming = english.List("exclaiming")
	opensOnly  = english.List("openers")
	bare       = english.List("bare")
	askers     = english.List("askers")
	requesters = english.List("requesters")
)

// fillers are phrases of sentences about the work and not its subject.
var fillers = english.Phrases("fillers")

// chatter are openings of sentences that report no work and no finding.
var chatter = english.Phrases("chatter")

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
var goOns = english.List("goOn")

// GoOn reports whether a prompt only asks the assistant to go on, so that its turn belongs to the one
// before.
func GoOn(prompt string) bool {
	words := tokens(prompt)
	return len(words) <= 6 && !slices.ContainsFunc(words, func(word string) bool { return !goOns[word] })
}
