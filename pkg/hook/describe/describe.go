// Package describe turns a session's actions into events: it selects the texts worth keeping, cuts them, and removes
// private parts. Hooks call it with the client's input, the importer with transcripts. Except for the events' IDs it is
// pure; it reads no files and stores nothing.
package describe

import (
	"strings"
	"time"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// Occurrence is one input of a client, with its project.
type Occurrence struct {
	Input   hookio.Input
	Project project.Project
	Client  string // the client's name; empty for Claude Code
	At      time.Time
	Partial bool // the input ended early or is malformed
	Line    speaker.Line
}

// New returns an event of the occurrence's session and project.
func New(o Occurrence, kind memory.EventKind) memory.Event {
	return memory.Event{
		ID: memory.NewEventID(o.At), At: o.At.UTC(), Kind: kind,
		Session: o.Input.SessionID,
		Project: memory.Project{Key: o.Project.Key, Name: Name(o.Project.Name), Root: Name(o.Project.Root)},
		Dir:     Name(o.Project.Dir), Client: o.Client, Truncated: o.Partial || len(o.Input.CutFields) > 0,
	}
}

// Text returns a text without private parts, our injected texts, and secrets.
func Text(text string) string { return strings.TrimSpace(Name(text)) }

// Name is Text for a path, a tool's name or a reason: its author can put a secret or our tags into it. It keeps white space.
func Name(name string) string { return redact.Clean(name) }

// MaxReport is the number of bytes that a report is cut to.
const MaxReport = 8000

// Report returns an event with a text and its subject. If redaction leaves no text, the event has no ID.
func Report(o Occurrence, kind memory.EventKind, source, text string) memory.Event {
	text = memory.Cut(Text(text), MaxReport)
	if text == "" {
		return memory.Event{}
	}
	event := New(o, kind)
	event.Source, event.Text = Text(source), text
	return event
}

// maxTask is the number of bytes that a subagent's task is cut to.
const maxTask = 2000

// SubagentReport is Report for a subagent's findings, and adds its task.
func SubagentReport(o Occurrence, agentType, task, text string) memory.Event {
	event := Report(o, memory.EventSubagentReported, agentType, text)
	if event.ID != "" {
		event.Prompt = memory.Cut(Text(task), maxTask)
	}
	return event
}

// Tail returns the last limit bytes of a text, from the beginning of a character, with a mark for the cut.
func Tail(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-limit:], "")
}

// Line identifies a line of a transcript in all its copies, which clients make when a session is resumed or forked.
type Line struct {
	// History names the session that the line was first written in, in which ID is unique. Without History a UUID is
	// unique everywhere. Any other ID is unique together with At and the text, or, if At is zero, in the event's session.
	History string
	ID      string
	At      time.Time
	ByText  bool // ID is unique only together with the text
}

// Identified returns the event with an ID that is the same each time and in each copy of the line, so a copied line is stored once. ids distinguish several events
// of a line. The ID is a hash of the redacted text: a hash of the whole text would let somebody test guesses of a secret.
func (l Line) Identified(event memory.Event, ids ...string) memory.Event {
	parts := []string{l.History, string(event.Kind), l.ID}
	switch {
	case l.History != "":
	case isUUID(l.ID):
		parts[0] = "anywhere"
	case l.At.IsZero():
		parts[0] = event.Session
	default:
		parts[0], l.ByText = l.At.UTC().Format(time.RFC3339Nano), true
	}
	if l.ByText {
		parts = append(parts, event.Prompt, event.Text)
	}
	event.ID = memory.NewImportID("transcript", append(parts, ids...)...)
	return event
}

func isUUID(id string) bool { return len(id) == 36 && strings.Count(id, "-") == 4 }

// Prompt returns the part of a prompt to keep, or "" if it is wholly private, was not typed by a user, or is not about
// the work. line is the client's information on who typed it. Base64 data is left out.
func Prompt(prompt string, line speaker.Line) string {
	prompt = speaker.Typed(Text(prompt), line)
	if strings.HasPrefix(prompt, "/surrealdb-memory:") {
		return ""
	}
	return withoutEncoded(prompt)
}

// CompactionSummary returns the part of a compaction's summary to keep: the text between the summary tags, without the model's
// thoughts before it, or the whole text if there are no tags.
func CompactionSummary(text string) string {
	text = Text(text) // first, because a private part may begin before the summary
	if _, after, found := strings.Cut(text, "<summary>"); found {
		text, _, _ = strings.Cut(after, "</summary>")
	}
	return text
}

// leastEncoded is a length that only data reaches without a blank, dot or quotation mark.
const leastEncoded = 400

// withoutEncoded replaces base64 data, such as a picture in a data URL: it would take the room of the user's words in a prompt. Data
// that is broken into lines stays, and so do long paths and rulers.
func withoutEncoded(text string) string {
	isOther := func(c rune) bool { return !strings.ContainsRune(shell.NameLetters+"+/-=", c) }
	for _, word := range strings.FieldsFunc(text, isOther) {
		if marks := strings.FieldsFunc(word, unicode.IsLetter); len(word) >= leastEncoded && len(strings.Join(marks, "")) < len(word)/2 {
			text = strings.Replace(text, word, "[encoded data]", 1)
		}
	}
	return text
}
