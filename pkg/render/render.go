// Package render writes the lines as which memories and sessions are shown. Each
// starts with "- " and ends in its only newline, which is what makes token counts
// add up. It is pure. It refuses to choose what is shown.
package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// maxLineBytes cuts what is rendered of one memory, so that one long memory
// cannot push out all others.
const maxLineBytes = 2000

// Line renders a memory as recall injects it: one line that starts with "- " and
// ends in a newline, which is what makes token counts add up. What the user said
// stands as it is, what others said names its source, and what is only reported
// stands in quotation marks.
func Line(m memory.Memory) string {
	text := Words(m)
	if source := sourceName(m); source != "" {
		text += " (" + source + ")"
	}
	return "- " + text + "\n"
}

// PromptLine renders a memory as a prompt is told it: with the id to ask for the
// rest by, its kind and its day, with the year if that is not now's; then, in
// brackets, what a person answered with it, the file it is about, and whose words it
// is, as in Line.
func PromptLine(m memory.Memory, now time.Time) string {
	day := "2 Jan"
	if m.LastSeenAt.UTC().Year() != now.UTC().Year() {
		day = "2 Jan 2006"
	}
	text := fmt.Sprintf("- [%s %s, %s] %s", memory.ShortID(m.ID), m.Kind, m.LastSeenAt.UTC().Format(day), Words(m))
	for _, more := range []string{answeredBy(m), where(m), sourceName(m)} {
		if more != "" {
			text += " (" + more + ")"
		}
	}
	return text + "\n"
}

// maxReasonBytes bounds what a statement answers, where it is told: more is no
// sentence.
const maxReasonBytes = 160

// answeredBy is what a person's statement answers, in quotation marks: it may be
// anybody's words.
func answeredBy(m memory.Memory) string {
	if m.Source != memory.SourceUser || !m.Kind.UserAuthored() || m.Detail == "" || len(m.Detail) > maxReasonBytes {
		return ""
	}
	return "on " + defuse.Quote(Harmless(m.Detail))
}

// where names the first file that a memory is about, unless its words do.
func where(m memory.Memory) string {
	if len(m.Files) == 0 || strings.Contains(m.Content, m.Files[0]) {
		return ""
	}
	return "in " + Harmless(m.Files[0])
}

// Words is what Line tells without the source: what is only reported stands in
// quotation marks all the same.
func Words(m memory.Memory) string {
	text := Harmless(m.Content)
	if m.IsHearsay() {
		text = defuse.Quote(text)
	}
	if m.Kind == memory.KindTodo {
		text = "[ ] " + text
	}
	return text
}

// sourceName names whose words a memory is; the user's have no name.
func sourceName(m memory.Memory) string {
	switch {
	case m.Source == memory.SourceUser:
		return ""
	case m.Source == memory.SourceAssistant && m.IsHearsay():
		return "assistant's report"
	case m.Source == memory.SourceOtherProject:
		return "another project"
	case m.Source == "":
		return "unknown"
	default:
		return string(m.Source)
	}
}

// StartLine renders a memory as a session's start tells it: its kind and its day,
// with the year if that is not the reader's, its words up to a length that leaves
// room for others, and whose they are, as in Line. Conclusions stand under a heading
// that says what they are.
func StartLine(m memory.Memory, year int) string {
	const longest = 200 // bytes
	day := "2 Jan"
	if m.LastSeenAt.UTC().Year() != year {
		day = "2 Jan 2006"
	}
	head, source := string(m.Kind)+", ", sourceName(m)
	if m.IsConclusion() {
		head, source = "", ""
	}
	m.Content = memory.Cut(memory.OneLine(m.Content), longest)
	text := "- " + head + m.LastSeenAt.UTC().Format(day) + ": " + Words(m)
	for _, more := range []string{where(m), source} {
		if more != "" {
			text += " (" + more + ")"
		}
	}
	return text + "\n"
}

// SummaryLine renders the summary of a session in the same form.
func SummaryLine(text string) string { return Item(text) }

// Counted returns a memory with the tokens of its line. A stored count is kept if
// the counter's encoding made it.
func Counted(m memory.Memory, counter tokens.Counter) memory.Memory {
	if m.TokenEncoding != counter.Encoding() {
		m.TokenCount, m.TokenEncoding = counter.Count(Line(m)), counter.Encoding()
	}
	return m
}

// Item renders any text in the same form.
func Item(text string) string { return "- " + Harmless(text) + "\n" }

// Harmless is a text on one line of a bounded length, which imitates neither tags
// nor turns.
func Harmless(text string) string { return memory.Cut(defuse.Line(text), maxLineBytes) }
