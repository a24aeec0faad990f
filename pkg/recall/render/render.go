// Package render writes the lines that show memories and sessions. Each line starts with "- " and has a single
// newline at its end, so that token counts add up. It is pure, and does not choose the memories.
package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
)

// maxLineBytes limits the line of one memory, so that other memories have room.
const maxLineBytes = 2000

// Line returns a memory as recall injects it: the user's words verbatim, all else in quotation marks with its source.
func Line(m memory.Memory) string {
	return "- " + noted(Words(m), sourceName(m))
}

// PromptLine returns a memory as a prompt gets it: id, kind, day, the content as in Line, and in brackets its file
// and its source. A model can ask for more by the id.
func PromptLine(m memory.Memory, now time.Time) string {
	year := now.UTC().Year()
	text := fmt.Sprintf("- [%s %s, %s] %s", memory.ShortID(m.ID), m.Kind, day(m, year), Words(m))
	return noted(text, where(m), sourceName(m))
}

// noted appends the notes that are not empty to a line, each in brackets.
func noted(text string, notes ...string) string {
	for _, note := range notes {
		if note != "" {
			text += " (" + note + ")"
		}
	}
	return text + "\n"
}

// OlderThan returns a line with a note that names the ids of newer lines in the session's context. Without ids it returns the line itself.
func OlderThan(line string, ids []string) string {
	if len(ids) == 0 {
		return line
	}
	return noted(strings.TrimSuffix(line, "\n"), "older than "+strings.Join(ids, ", "))
}

// said returns the note "said N times" for a memory that the user had to repeat, else "".
func said(m memory.Memory) string {
	if !m.IsSaidAgain() {
		return ""
	}
	return fmt.Sprintf("said %d times", m.Said())
}

// where returns a note with a memory's first file, or "" if a model wrote the memory or the content names the file.
func where(m memory.Memory) string {
	if len(m.Files) == 0 || m.IsModelWritten() || strings.Contains(m.Content, m.Files[0]) {
		return ""
	}
	return "in " + memory.Cut(defuse.Name(m.Files[0]), maxLineBytes)
}

// Words returns the content as in Line, without the source.
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

// anyYear makes day include the year, for a line that must not change with time.
const anyYear = 0

// sourceName returns the source of a memory as people read it; "" for the user's words.
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

// StartLine returns a memory as a session's start shows it: short id, kind, day (with the year unless it is the given
// one), the content, shortened to leave room for others, and in brackets its file, its source and how often it was said.
func StartLine(m memory.Memory, year int) string {
	longest := 200 // bytes
	if m.IsUsersWord() {
		longest = maxLineBytes
	}
	head, source := ShortID(m)+" "+string(m.Kind)+", ", sourceName(m)
	m.Content = memory.CutWords(memory.OneLine(m.Content), longest)
	return noted("- ["+head+day(m, year)+"] "+Words(m), where(m), source, said(m))
}

// ToolLine returns a memory as Line does, with its short id, by which a model can ask for more, and how often it was said.
func ToolLine(m memory.Memory) string {
	return "- [" + ShortID(m) + "] " + noted(Words(m), sourceName(m), said(m))
}

// shortDigits is the number of digits of an id in a line, enough to ask for the memory.
const shortDigits = 6

// ShortID returns the beginning of a memory's id as lines show it.
func ShortID(m memory.Memory) string { return m.ID[:min(len(m.ID), shortDigits)] }

// FactLine returns a fact as a session's start shows it, with the id by which a model can fetch its sources. newest is the
// time of the project's newest row: the line has the day if the fact is more than a week older, or if it is a todo.
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

// FactName returns a fact's id and title for a list of names. The title cannot contain the separator of names.
func FactName(m memory.Memory, id string) string {
	name := id + " " + strings.Map(withoutBars, Harmless(m.Title))
	if m.Kind == memory.KindTodo {
		name += " (open)"
	}
	return name
}

// withoutBars replaces the bar, which separates names, and characters that look like it.
func withoutBars(r rune) rune {
	switch r {
	case '|', '｜', '¦', '│':
		return '∣'
	}
	return r
}

// day returns the day on which a memory was last seen, with the year if it differs from year. It returns "day
// unknown" for a year before 2020, which comes from a clock that was not set.
func day(m memory.Memory, year int) string {
	at := m.LastSeenAt.UTC()
	if at.Year() < 2020 {
		return "day unknown"
	}
	if at.Year() != year {
		return at.Format("2 Jan 2006")
	}
	return at.Format("2 Jan")
}

// newFor is the age up to which a fact is shown without its day. Most helpful facts are younger.
const newFor = 7 * 24 * time.Hour

// PromptFactLine returns a fact for a prompt that gets only facts: the id, by which a model asks for the quoted words, and
// the day if the fact is over a week old. It names the source unless a model wrote the fact (memory.FactsPreamble).
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

// SummaryLine returns the summary of a session as a quoted line, because a model or a program wrote it.
func SummaryLine(text string) string { return Item("", text) }

// WithTokenCount returns a memory with the token count of its line.
func WithTokenCount(m memory.Memory, counter memory.TokenCounter) memory.Memory {
	m.TokenCount = counter.Count(Line(m))
	return m
}

// Item returns a text as a line, in quotation marks behind a label, which may be empty.
func Item(label, text string) string { return "- " + label + defuse.Quote(Harmless(text)) + "\n" }

// Harmless returns a text as one line of at most maxLineBytes that imitates neither tags nor turns.
func Harmless(text string) string { return memory.Cut(defuse.Line(text), maxLineBytes) }
