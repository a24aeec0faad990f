package knowledge

import (
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// Typed returns the part of a prompt that the user typed: all of it, or the arguments of a slash command. It returns false for a
// bare command, and for text by the client, a tool or another person.
func Typed(prompt string) (string, bool) {
	text := speaker.Typed(prompt, speaker.Line{})
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
	all := sentences(prompt[:documentFrom(prompt, longText)], false)
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

// The lengths in bytes from which a paragraph in which nobody speaks counts as pasted: alone, and
// beside another such paragraph.
const (
	impersonalAlone  = 160
	impersonalBeside = 60
)

// isFormal reports whether a prompt has a paragraph that was certainly not typed.
func isFormal(all []sentence) bool {
	for i := range all {
		if strings.HasPrefix(all[i].Text, "Consider ") || isImpersonal(all[i:i+1], false) {
			return true
		}
	}
	return false
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

// longText is the number of lines above which a prompt with one heading counts as a document when statements are looked
// for. Requests are taken from it all the same: people put a heading above their own notes.
const longText = 8

// documentFrom returns the offset of the pasted part of a prompt, or its length. The pasted part begins at the
// first of several headings, at a heading in a prompt of more than most lines, or at the title of a review finding. A prompt's size
// says nothing: people type long prompts, and what is to be kept often stands at the end.
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

// announcing has the phrases that announce a quotation after a colon.
var announcing = english.Phrases("announcing")
