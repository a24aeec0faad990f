package knowledge

import (
	"regexp"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

const (
	minWords    = 4   // shorter sentences are not understandable alone
	maxSentence = 600 // bytes; nobody types longer sentences
)

// lastingWords are the words for something that lasts or has changed ("always", "from now on", "no longer"), and lastingPattern
// matches such words where their place in the sentence matters, or a language has no spaces between words.
var (
	lastingWords   = language.NewPhrases(strings.Split(column(lastingText, 1, " ; "), " ; ")...)
	lastingPattern = regexp.MustCompile(column(patternsText, 1, "|"))
)

// limiting matches a sentence that makes an exception from the one before.
var limiting = regexp.MustCompile(`(?i)^[(]?(?:` + column(exceptionsText, 1, "|") + `)|` + column(exceptionsText, 2, "|"))

// isStatement reports whether a sentence says something (see isSaid). If it announces a text (", see:"), a word for something that
// lasts or has changed must stand before its last comma.
func isStatement(text string) bool {
	if endsInColon(text) {
		hasWord, isShort := lasting(text[:max(0, strings.LastIndexAny(text, ",，"))])
		return hasWord && !isShort && isSaid(strings.TrimRight(text, ":：* "))
	}
	return isSaid(text)
}

// isSaid reports whether a sentence is no question, is no code span, is not too long, and does not hand over a text to be changed.
func isSaid(text string) bool {
	isSpan := isQuotation(text) && text[0] == '`'
	text = strings.TrimRight(text, closing)
	return !isSpan && len(text) <= maxSentence && !asking.MatchString(text) && !handed.MatchString(text)
}

// closing lists the marks that may follow the full stop of a sentence.
const closing = " *)\"'”’`"

// lasting reports whether a sentence has a word for what lasts or has changed, and is too short to be understood alone.
func lasting(text string) (hasWord, isShort bool) {
	own := withoutQuotations(text)
	if lastingPattern.MatchString(own) {
		return true, false
	}
	text = strings.TrimRight(text, closing)
	words := tokens(strings.TrimRight(own, closing))
	isShort = len(words) < minWords
	return lastingWords.In(words) || !isShort && literal.MatchString(text), isShort
}

// quotation matches quoted text. A quotation of more than longQuotation bytes counts as somebody else's words.
var quotation = regexp.MustCompile(`"[^"\n]*(?:"|$)|[“„][^”“\n]*(?:[”“]|$)|«[^»\n]*(?:»|$)|‘[^’\n]*(?:’|$)|「[^」\n]*(?:」|$)|『[^』\n]*(?:』|$)`)

const longQuotation = 20

// isQuotation reports whether a text is one quotation, or one code span.
func isQuotation(text string) bool { return quoted.MatchString(strings.TrimSpace(text)) }

var quoted = regexp.MustCompile(`^(?:"[^"]+"|“[^”“]+”|„[^”“]+[”“]|«[^»]+»|‘[^’]+’|'[^']+'|「[^」]+」|『[^』]+』)$|^` + "`[^`]+`$")

// withoutQuotations returns a text without its long quotations.
func withoutQuotations(text string) string {
	return quotation.ReplaceAllStringFunc(text, func(quoted string) string {
		if len(quoted) > longQuotation {
			return " "
		}
		return quoted
	})
}

// handed matches the words by which the user hands over a text to be changed, or says that something is not so.
var handed = regexp.MustCompile(`(?i)^(?:(?:please|now|(?:can|could) you(?: please)?) )?(?:(?:translate|proofread|rephrase|reword|paraphrase|spell-?check|rewrite|shorten|summari[sz]e|übersetze?|korrigiere?|traduis|corrige|traduce|traduz)` +
	`(?: (?:to \w+|this|that|it|the following|the (?:sentence|text|paragraph|message|mail)|das|dies\w*|den satz|ceci|esto|isto)\b[^:]{0,40})?|(?:fix|check|correct|improve) the (?:grammar|spelling|wording|typos?)(?: (?:of|in) (?:this|the)\b[^:]{0,40})?|it (?:prints|printed|outputs|logs|shows|says)):|^(?:suppose|imagine|hypothetically|angenommen|stell dir vor|supposons|supongamos)[ ,]`)
