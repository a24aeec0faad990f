package knowledge

import (
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// Typed returns the part of a prompt that the user typed, without pastes that the client marks: all of it, or the arguments of a slash command. It
// returns false for a bare command or paste, and for text by the client, a tool or another person.
func Typed(prompt string) (string, bool) {
	text := strings.TrimSpace(speaker.WithoutPastes(speaker.Typed(prompt, speaker.Line{})))
	if strings.HasPrefix(text, "/") {
		name, args, _ := strings.Cut(text, " ")
		if !strings.ContainsAny(name[1:], "/*\n") { // neither a path nor a comment
			text = strings.TrimSpace(args)
		}
	}
	return text, text != ""
}

// acceptedPlan begins the prompt that the client sends when the user accepts a plan.
const acceptedPlan = "implement the following plan:"

// AcceptedPlan returns the assistant's plan that the user accepted with a prompt, or "".
func AcceptedPlan(prompt string) string {
	text, typed := Typed(prompt)
	if !typed || len(text) <= len(acceptedPlan) || !strings.EqualFold(text[:len(acceptedPlan)], acceptedPlan) {
		return ""
	}
	return strings.TrimSpace(text[len(acceptedPlan):])
}

// ownSentences returns the sentences of a prompt that look typed. It leaves out the document part (see documentFrom), sentences of
// lastWords, and long paragraphs in which nobody speaks (see speaks). If a part was certainly pasted (formal), it leaves out short
// ones as well. Otherwise a prompt of one sentence counts as typed: a person who pastes a document also says what to do with it.
func ownSentences(prompt, lastWords string, formal bool) []sentence {
	all := sentences(prompt[:documentFrom(prompt, 8)], false)
	var own []sentence
	isAlone := !formal && len(all) == 1
	formal = formal || !isAlone && isFormal(all)
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].Line == all[from].Line {
			to++
		}
		impersonal := !isAlone && isImpersonal(all[from:to], formal)
		for _, s := range all[from:to] {
			if !impersonal && (len(s.Text) <= 30 || !strings.Contains(lastWords, s.Text)) {
				own = append(own, s)
			}
		}
		from = to
	}
	return own
}

// The lengths in bytes from which a paragraph in which nobody speaks counts as pasted: alone, and beside another such paragraph.
const (
	impersonalAlone  = 160
	impersonalBeside = 60
)

// isFormal reports whether a prompt has a paragraph that was certainly not typed.
func isFormal(all []sentence) bool {
	return slices.ContainsFunc(all, func(s sentence) bool {
		return strings.HasPrefix(s.Text, "Consider ") || isImpersonal([]sentence{s}, false)
	})
}

// isImpersonal reports whether a line's sentences address nobody, quote no name, begin like a document's, and are long.
func isImpersonal(line []sentence, formal bool) bool {
	size := 0
	for _, s := range line {
		if formal && strings.HasPrefix(s.Text, "Consider ") {
			return true
		}
		if strings.HasSuffix(s.Text, "?") || speaks(s.Text) || literal.MatchString(s.Text) {
			return false
		}
		size += len(s.Text)
	}
	first := line[0].Text[0]
	proper := first >= 'A' && first <= 'Z' || first == '`' || line[0].Bullet
	if formal {
		return proper && size >= impersonalBeside
	}
	return proper && size >= impersonalAlone
}

// literal matches a name in quotation marks. A sentence that quotes a name mostly prescribes what to write.
var literal = regexp.MustCompile(`(?:^|\s)['"‘“][^\s'"’”]{1,30}['"’”](?:[\s.,;]|$)`)

// speaks reports whether a sentence has a speaker or addresses somebody.
func speaks(text string) bool {
	return slices.ContainsFunc(language.Spoken.List(text), func(word string) bool { return speaking[word] })
}

var speaking = english.List("speaking")

// documentFrom returns the offset of the pasted part of a prompt, or its length. The pasted part begins at the
// first of several headings, at a heading in a prompt of more than most lines, or at the title of a review finding, whatever the size.
func documentFrom(prompt string, most int) int {
	at, first, before, headings, lines := 0, -1, 0, 0, 0
	for line := range strings.Lines(prompt) {
		bare := strings.TrimSpace(line)
		if len(bare) < 40 && strings.HasSuffix(strings.ToLower(bare), "severity") { // below the title of a review finding
			return before
		}
		if isTitle(bare) || isLabelled(bare) {
			headings++
			if first < 0 {
				first = at
			}
		}
		if bare != "" {
			lines++
			before = at
		}
		at += len(line)
	}
	if headings >= 2 || headings == 1 && lines > most {
		return first
	}
	return len(prompt)
}

// The limits of what is kept.
const (
	minWords    = 4   // shorter sentences are not understandable alone
	maxSentence = 600 // bytes; nobody types longer sentences
	maxReferent = 160 // bytes of a previous sentence that is kept with the sentence that refers to it
	maxSaid     = 12  // sentences per prompt; later ones are dropped
	firstWords  = 5   // words of a sentence among which a pronoun refers to the sentence before
	leastQuote  = 8   // bytes; shorter passages occur nearly anywhere

	longQuotation = 20          // bytes; somebody else wrote a longer one
	closing       = " *)\"'”’`" // the marks that may follow the full stop of a sentence
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
	isSpan := quoted.MatchString(text) && text[0] == '`'
	text = strings.TrimRight(text, closing)
	return !isSpan && len(text) <= maxSentence && !asking.MatchString(text) && !handed.MatchString(text)
}

// lasting reports whether a sentence has a word for what lasts or has changed, and is too short to be understood alone.
func lasting(text string) (hasWord, isShort bool) {
	own := withoutQuotations(text)
	if lastingPattern.MatchString(own) {
		return true, false
	}
	words := tokens(strings.TrimRight(own, closing))
	isShort = len(words) < minWords
	return lastingWords.In(words) || !isShort && literal.MatchString(text), isShort
}

// quotation matches quoted text.
var quotation = regexp.MustCompile(`"[^"\n]*(?:"|$)|[“„][^”“\n]*(?:[”“]|$)|«[^»\n]*(?:»|$)|‘[^’\n]*(?:’|$)|「[^」\n]*(?:」|$)|『[^』\n]*(?:』|$)`)

// quoted matches a text that is one quotation, or one code span.
var quoted = regexp.MustCompile(`^\s*(?:"[^"]+"|“[^”“]+”|„[^”“]+[”“]|«[^»]+»|‘[^’]+’|'[^']+'|「[^」]+」|『[^』]+』|` + "`[^`]+`)\\s*$")

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
