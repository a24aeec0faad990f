// Package knowledge finds what is worth keeping of a session without a model: lines that a prompt asks to keep,
// sentences with a word for something that lasts or has changed, and failures that were fixed. It is pure, and each finding is a
// verbatim part of its input. It compares nothing with stored memories, and does not decide how long a finding is
// kept.
package knowledge

import (
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// The limits of a sentence that is kept.
const (
	minWords    = 4   // shorter sentences are not understandable alone
	maxSentence = 600 // bytes; nobody types longer sentences
	maxReferent = 160 // bytes of a previous sentence that is kept with the sentence that refers to it
	maxSaid     = 12  // sentences per prompt; later ones are dropped
)

// lastingWords are the words for something that lasts or has changed ("always", "from now on", "no longer"), and lastingPattern
// matches such words where their place in the sentence matters, or a language has no spaces between words.
var (
	lastingWords   = language.NewPhrases(strings.Split(column(lastingText, 1, " ; "), " ; ")...)
	lastingPattern = regexp.MustCompile(column(patternsText, 1, "|"))
)

// opening and within are the pronouns that refer to the previous sentence: as its first word, and among its first
// words.
var opening, within = language.Set(column(pronounsText, 1, " ")), language.Set(column(pronounsText, 2, " "))

// LastingStatements returns the sentences with a word for something that lasts or has changed that the user typed in a
// prompt, verbatim and in order. A sentence that begins with a pronoun comes with the previous one, and one that is too
// short to be understood ("db1 is gone.") with the next one. Questions, pasted text, plans, quotations, and the words of
// others and of lastWords, the assistant's text before the prompt, are left out.
func LastingStatements(prompt, lastWords string) []string {
	text := TypedText(prompt)
	var found []string
	before, line, isOpen := "", -1, false
	others := lastWords
	for _, quoted := range quotation.FindAllString(text, -1) {
		if quoted != strings.TrimSpace(text) { // a quotation without a word around it is nobody else's
			others += "\n" + quoted
		}
	}
	for _, s := range ownSentences(text, others, indented.MatchString(prompt)) {
		one, both := s.Text, before+" "+s.Text
		follows := s.Line == line && len(before) <= maxReferent && strings.Contains(text, both)
		hasWord, isShort := lasting(one)
		if completes := isOpen && follows; (completes || hasWord && !isShort) && isStatement(one) && len(found) < maxSaid {
			if completes || follows && refersBack(one) {
				one = both
			}
			found = append(found, one)
		}
		before, line, isOpen = s.Text, s.Line, hasWord && isShort && isStatement(s.Text)
	}
	return found
}

// indented matches an indented line that is no item of a list. Hardly anybody types one, but programs print them.
var indented = regexp.MustCompile(`(?m)^(?:  |\t)\s*[^\s\d*•-]`)

// isStatement reports whether a sentence is neither a question nor too long, announces nothing, and hands over no text.
func isStatement(text string) bool {
	text = strings.TrimRight(text, closing)
	return len(text) <= maxSentence && !strings.HasSuffix(text, "?") && !strings.HasSuffix(text, "？") && !strings.HasSuffix(text, ":") && !handed.MatchString(text)
}

// closing are the marks that may follow the last mark of a sentence.
const closing = " *)\"'”’`"

// lasting reports whether a sentence has a word for something that lasts or has changed, and whether it is too short to
// be understood alone.
func lasting(text string) (hasWord, isShort bool) {
	own := quotation.ReplaceAllStringFunc(text, func(quoted string) string {
		if len(quoted) > longQuotation {
			return " "
		}
		return quoted
	})
	if lastingPattern.MatchString(own) {
		return true, false
	}
	text = strings.TrimRight(text, closing)
	words := tokens(strings.TrimRight(own, closing))
	isShort = len(words) < minWords
	return lastingWords.In(words) || !isShort && literal.MatchString(text), isShort
}

// quotation matches quoted text. If it is longer than longQuotation, in bytes, somebody else wrote it.
var quotation = regexp.MustCompile(`"[^"\n]*(?:"|$)|[“„][^”“\n]*(?:[”“]|$)|«[^»\n]*(?:»|$)|‘[^’\n]*(?:’|$)|「[^」\n]*(?:」|$)|『[^』\n]*(?:』|$)`)

const longQuotation = 20

// firstWords is the number of words at the beginning of a sentence among which a pronoun refers to the previous
// sentence.
const firstWords = 5

func refersBack(text string) bool {
	words := tokens(text)
	return opening[words[0]] || slices.ContainsFunc(words[:min(firstWords, len(words))], func(word string) bool { return within[word] })
}

// Sentences returns the sentences that the user typed in a prompt, in order, judged by form alone. Directives are
// left out.
func Sentences(prompt string) (all []string) {
	for line := range strings.Lines(TypedText(prompt)) {
		text, _ := withoutBullet(strings.TrimSpace(line))
		all = append(all, language.Sentences(text)...)
	}
	return all
}

// Gist shortens the last words of an assistant. It drops code and tables, and cuts each sentence so that more of
// them fit.
func Gist(lastWords string) string {
	const maxGist, maxPart = 500, 160 // bytes
	var kept []string
	size := 0
	for _, s := range sentences(lastWords, true) {
		if len(tokens(s.Text)) < minWords {
			continue
		}
		text := memory.CutWords(s.Text, maxPart)
		if size += len(text) + 1; size > maxGist && len(kept) > 0 {
			break
		}
		kept = append(kept, text)
	}
	return memory.OneLine(strings.Join(kept, " "))
}

// IsDecision reports whether an answer in a dialog of the client says more than to continue.
func IsDecision(answer string) bool {
	return !language.IsContinuation(answer) && slices.ContainsFunc(tokens(answer), func(word string) bool { return len(word) > 1 })
}
