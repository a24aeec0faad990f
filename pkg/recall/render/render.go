// Package render writes the lines that show memories and sessions. Each starts with "- " and
// ends in its only newline, so that token counts add up. It is pure, and does not choose the
// memories.
package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
)

// maxLineBytes limits the line of one memory, so that a long one leaves room for others.
const maxLineBytes = 2000

// Line renders a memory as recall injects it. The user's words stand as they are; everything else
// stands in quotation marks and names its source.
func Line(m memory.Memory) string {
	return "- " + noted(Words(m), sourceName(m))
}

// PromptLine renders a memory for a prompt: the id by which a model can ask for the rest, the kind,
// the day (with its year, if that is not the present one), the content as in Line, and in brackets
// the file that it is about and its source.
func PromptLine(m memory.Memory, now time.Time) string {
	year := now.UTC().Year()
	text := fmt.Sprintf("- [%s %s, %s] %s", memory.ShortID(m.ID), m.Kind, day(m, year), Words(m))
	return noted(text, where(m), sourceName(m))
}

// noted ends a line with notes, each in brackets; empty notes are left out.
func noted(text string, notes ...string) string {
	for _, note := range notes {
		if note != "" {
			text += " (" + note + ")"
		}
	}
	return text + "\n"
}

// said returns a note that the user had to say a memory again; empty if that is not so.
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

// Words returns the content as in Line, without the source. Only the user's words are without
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

// anyYear is the year to pass for a line that must read the same at any time: its day has the year.
const anyYear = 0

// sourceName names the source of a memory; empty for the user's words.
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

// StartLine renders a memory for a session's start: the beginning of its id, the kind and the day
// (with the year, if it is not the given one), the content, cut so that others have room, and the
// source, as in Line.
func StartLine(m memory.Memory, year int) string {
	longest := 200 // bytes
	if m.IsUsersWord() {
		longest = 320 // a sentence and the sentence that it refers to
	}
	head, source := ShortID(m)+" "+string(m.Kind)+", ", sourceName(m)
	m.Content = memory.CutWords(memory.OneLine(m.Content), longest)
	return noted("- ["+head+day(m, year)+"] "+Words(m), where(m), source, said(m))
}

// ToolLine renders a memory like Line, after the beginning of the id by which a model can ask for the rest.
func ToolLine(m memory.Memory) string {
	return "- [" + ShortID(m) + "] " + noted(Words(m), sourceName(m), said(m))
}

// shortDigits is how many digits of an id a line shows: enough to request the memory by.
const shortDigits = 6

// ShortID returns the beginning of a memory's id that such a line shows.
func ShortID(m memory.Memory) string { return m.ID[:min(len(m.ID), shortDigits)] }

// FactLine renders a fact for a session's start, with the id by which a model can fetch its sources. It has the day if it is a week
// older than newest, the project's newest row; a todo always has it.
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

// FactName returns a fact's id and title for a list of names. No title can look like several names.
func FactName(m memory.Memory, id string) string {
	name := id + " " + strings.Map(withoutBars, Harmless(m.Title))
	if m.Kind == memory.KindTodo {
		name += " (open)"
	}
	return name
}

// withoutBars replaces the bar, which separates the names of a line, and characters that look like it.
func withoutBars(r rune) rune {
	switch r {
	case '|', '｜', '¦', '│':
		return '∣'
	}
	return r
}

// day returns the day on which a memory was last seen, with the year if it is not the given one.
func day(m memory.Memory, year int) string {
	at := m.LastSeenAt.UTC()
	if at.Year() != year {
		return at.Format("2 Jan 2006")
	}
	return at.Format("2 Jan")
}

// newFor is the age up to which a fact is shown without its day: most facts that help are younger, and
// the lines of a prompt should stay short.
const newFor = 7 * 24 * time.Hour

// PromptFactLine renders a fact for a prompt that is given only facts: the id by which a model can
// ask for the words that it rests on, and the day if it is older than a week. A source other than
// a model is named (memory.FactsPreamble).
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

// SummaryLine renders the summary of a session as Item does: a model or a program wrote its words,
// or they lack their context.
func SummaryLine(text string) string { return Item("", text) }

// Counted returns a memory with the number of tokens of its line. It keeps a stored count of the
// counter's encoding.
func Counted(m memory.Memory, counter memory.TokenCounter) memory.Memory {
	if m.TokenEncoding != counter.Encoding() {
		m.TokenCount, m.TokenEncoding = counter.Count(Line(m)), counter.Encoding()
	}
	return m
}

// Item renders another text as a line, in quotation marks behind a label, which may be
// empty.
func Item(label, text string) string { return "- " + label + defuse.Quote(Harmless(text)) + "\n" }

// Harmless turns a text into one line of limited length that imitates neither tags nor turns.
func Harmless(text string) string { return memory.Cut(defuse.Line(text), maxLineBytes) }
