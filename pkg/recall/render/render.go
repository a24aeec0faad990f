// Package render writes the lines that show memories and sessions. Each starts with "- "
// and ends in its only newline, so that token counts add up. It is pure. It refuses to
// choose the memories.
package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
)

// maxLineBytes bounds the line of one memory, so that a long memory leaves room for
// others.
const maxLineBytes = 2000

// Line renders a memory as recall injects it: one line that starts with "- " and ends
// in a newline, so that token counts add up. The user's words stand as they are; all
// else stands in quotation marks and names its source.
func Line(m memory.Memory) string {
	return "- " + noted(Words(m), sourceName(m))
}

// PromptLine renders a memory for a prompt: the id to ask for the rest by, the kind and
// the day, with the year if it is not now's; then, in brackets, the file it is about, and its
// source, as in Line.
func PromptLine(m memory.Memory, now time.Time) string {
	year := now.UTC().Year()
	text := fmt.Sprintf("- [%s %s, %s] %s", memory.ShortID(m.ID), m.Kind, day(m, year), Words(m))
	return noted(text, where(m), sourceName(m))
}

// noted ends a line with notes, each in brackets; an empty one is none.
func noted(text string, notes ...string) string {
	for _, note := range notes {
		if note != "" {
			text += " (" + note + ")"
		}
	}
	return text + "\n"
}

// said notes that the user had to say a memory again; empty if he had not.
func said(m memory.Memory) string {
	if !m.IsSaidAgain() {
		return ""
	}
	return fmt.Sprintf("said %d times", m.Said())
}

// where names the first file that a memory is about, unless the content names it.
func where(m memory.Memory) string {
	if len(m.Files) == 0 || m.IsModelWritten() || strings.Contains(m.Content, m.Files[0]) {
		return ""
	}
	return "in " + memory.Cut(defuse.Name(m.Files[0]), maxLineBytes)
}

// Words is the content as in Line, without the source. All but the user's words stand in
// quotation marks.
func Words(m memory.Memory) string {
	text := Harmless(m.Content)
	if m.IsUsersWord() {
		text = defuse.Unquoted(text)
	} else {
		text = defuse.Quote(text)
	}
	if m.Kind == memory.KindTodo {
		text = "[ ] " + text
	}
	return text
}

// anyYear is the year of a line that is to read the same at any time: its day has the year.
const anyYear = 0

// sourceName names the source of a memory; empty for the user.
func sourceName(m memory.Memory) string {
	switch {
	case m.IsUsersWord():
		return ""
	case m.IsModelWritten():
		return "a model" // a few quoted words do not show the author of the sentence
	case m.Source == memory.SourceAssistant && m.IsHearsay():
		return "assistant's report"
	case m.Source == "":
		return "unknown"
	default:
		return string(m.Source)
	}
}

// StartLine renders a memory for a session's start: the beginning of the id to ask for the
// rest by, the kind and the day, with the year if it is not the given one, the content up to
// a length that leaves room for others, and the source, as in Line.
func StartLine(m memory.Memory, year int) string {
	longest := 200 // bytes
	if m.IsUsersWord() {
		longest = 320 // a sentence and the one that it refers to
	}
	head, source := ShortID(m)+" "+string(m.Kind)+", ", sourceName(m)
	m.Content = memory.CutWords(memory.OneLine(m.Content), longest)
	return noted("- ["+head+day(m, year)+"] "+Words(m), where(m), source, said(m))
}

// ToolLine is Line with the beginning of the id to ask for the rest by.
func ToolLine(m memory.Memory) string {
	return "- [" + ShortID(m) + "] " + noted(Words(m), sourceName(m), said(m))
}

// shortDigits is how many digits of an id a line has at a start, for a tool or among a prompt's facts: enough for a
// request by id.
const shortDigits = 6

// ShortID is the beginning of the id of a memory in such a line.
func ShortID(m memory.Memory) string { return m.ID[:min(len(m.ID), shortDigits)] }

// FactLine renders a fact for a session's start, with an id to fetch its sources by, and the day if it is a week older than
// the newest of its project.
func FactLine(m memory.Memory, id string, newest time.Time) string {
	since := ""
	switch {
	case m.Kind == memory.KindTodo:
		since = "open on " + day(m, anyYear)
	case newest.Sub(m.LastSeenAt) > newFor:
		since = day(m, newest.UTC().Year())
	}
	return noted("- "+id+" "+defuse.Quote(Harmless(m.Content)), said(m), since)
}

// FactName names a fact in a list of names, with the id to fetch its text by. No title can look like several names.
func FactName(m memory.Memory, id string) string {
	name := id + " " + strings.Map(withoutBars, Harmless(m.Title))
	if m.Kind == memory.KindTodo {
		name += " (open)"
	}
	return name
}

// withoutBars changes the bar, which is between two names of a line, and what looks like it.
func withoutBars(r rune) rune {
	switch r {
	case '|', '｜', '¦', '│':
		return '∣'
	}
	return r
}

// day is the day on which a memory was seen last, with the year if it is not the given
// one.
func day(m memory.Memory, year int) string {
	at := m.LastSeenAt.UTC()
	if at.Year() != year {
		return at.Format("2 Jan 2006")
	}
	return at.Format("2 Jan")
}

// newFor is how long a fact for a prompt has no day: most facts that help are younger, and
// three lines are to stay short.
const newFor = 7 * 24 * time.Hour

// PromptFactLine renders a fact for a prompt that is given facts alone: the id to ask for the
// words that it rests on by and, if it is older than a week, the day. It is marked with its
// source if that is no model (memory.FactsPreamble).
func PromptFactLine(m memory.Memory, now time.Time) string {
	head, source, year := ShortID(m), "", now.UTC().Year()
	if now.Sub(m.LastSeenAt) > newFor {
		head += " " + day(m, year)
	}
	if m.Source != memory.SourceAssistant {
		source = sourceName(m)
	}
	return noted("- ["+head+"] "+Words(m), source)
}

// SummaryLine renders the summary of a session in the same form: its words are those of
// a model or of a program, or out of their context.
func SummaryLine(text string) string { return Item("", text) }

// Counted returns a memory with the tokens of its line. It keeps a stored count made by
// the counter's encoding.
func Counted(m memory.Memory, counter memory.TokenCounter) memory.Memory {
	if m.TokenEncoding != counter.Encoding() {
		m.TokenCount, m.TokenEncoding = counter.Count(Line(m)), counter.Encoding()
	}
	return m
}

// Item renders any other text in the same form, in quotation marks behind a label, which
// may be empty.
func Item(label, text string) string { return "- " + label + defuse.Quote(Harmless(text)) + "\n" }

// Harmless turns a text into one line of bounded length that imitates neither tags nor
// turns.
func Harmless(text string) string { return memory.Cut(defuse.Line(text), maxLineBytes) }
