// Package describe turns a session's actions into events: it selects the texts worth keeping, cuts them, and removes
// private parts. Hooks call it with the client's input, the importer with transcripts. Except for the events' IDs it is
// pure; it reads no files and stores nothing.
package describe

import (
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
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
