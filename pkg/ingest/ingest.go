// Package ingest turns captured hook events into rows for the store: events into
// memories, sessions, prompts and their links, and a finished session into a summary.
// It is pure, so ingesting an event again gives the same rows. It refuses to read the
// spool or to write the store.
package ingest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// Batch turns events into one batch for the store. Each memory's tokens are
// counted here, once, as recall will render it.
func Batch(events []memory.Event, counter tokens.Counter) memory.Batch {
	b := builder{counter: counter, sessions: map[string]int{}, memories: map[string]int{}, projects: map[string]int{}}
	for _, e := range events {
		b.add(e)
	}
	return b.batch
}

func (b *builder) add(e memory.Event) {
	if e.Kind == memory.EventImported {
		b.imported(e)
		return
	}
	if e.Kind == memory.EventDistilled {
		b.distilled(e)
		return
	}
	b.project(e)
	b.day(e.Project.Key, e.At)
	b.session(e)
	switch e.Kind {
	case memory.EventPrompt:
		b.prompt(e)
	case memory.EventFileChanged:
		b.fileChanged(e)
	case memory.EventCommandSucceeded:
		b.sighting(e, memory.Memory{
			Kind: memory.KindCommand, Content: fmt.Sprintf("`%s` succeeded", memory.OneLine(e.Command)),
			Detail: e.Output, Tags: tags(e.Purpose), Command: memory.CommandKey(e.Command),
		})
	case memory.EventCommandFailed:
		b.sighting(e, memory.Memory{
			Kind: memory.KindFailure, Content: failure(e), Detail: e.Error, Tags: tags("debugging", e.Purpose),
			Command: memory.CommandKey(e.Command), Signature: memory.ErrorSignature(e.Error),
		})
	case memory.EventRemembered:
		id := b.sighting(e, memory.Memory{
			Kind: e.RememberedKind, Content: e.Text, Detail: memory.Lines(e.Text), Tags: e.Tags,
			Files: append(pathsIn(e.Text), e.Files...), Source: asker(e),
		})
		if e.ByUser {
			b.batch.UserWritten = append(b.batch.UserWritten, id)
		}
	case memory.EventAnswered:
		b.answered(e)
	case memory.EventRefused:
		b.refused(e)
	case memory.EventPlanAccepted:
		b.concluded(e, e.Text)
	case memory.EventSubagentReported:
		b.reported(e, memory.KindObservation)
		b.conclude(e, knowledge.Findings(e.Text, func(text string) bool { return len(pathsIn(text)) > 0 }))
	case memory.EventTaskCompleted:
		b.reported(e, memory.KindTask)
	case memory.EventToolUsed:
		if e.File != "" { // it was read, which the session's digest tells
			b.happened(e, e.File)
			return
		}
		b.sighting(e, memory.Memory{Kind: memory.KindObservation, Content: e.Tool + ": " + e.Text, Detail: e.Output})
	case memory.EventTurnEnded, memory.EventTurnFailed, memory.EventNotified,
		memory.EventCompacting, memory.EventCompacted, memory.EventAsked:
		b.happened(e, e.Text)
		if e.Kind == memory.EventTurnEnded || e.Kind == memory.EventCompacted {
			b.concluded(e, e.Text)
		}
	case memory.EventSessionStarted, memory.EventSessionEnded: // the session row says it all
	}
}

// happened keeps events without a memory as events of their session.
func (b *builder) happened(e memory.Event, text string) {
	b.batch.SessionEvents = append(b.batch.SessionEvents, memory.SessionEvent{
		ID: e.ID, Session: e.Session, Kind: e.Kind, Text: memory.Cut(text, maxPrompt), At: e.At,
	})
}

// asker is the source of a request to keep something.
func asker(e memory.Event) memory.Source {
	if e.ByUser {
		return memory.SourceUser
	}
	return memory.SourceAssistant
}

// taskOfSubagent begins the detail of a subagent's report.
const taskOfSubagent = "Task: "

// reported keeps a text whose beginning names its subject. The report of a subagent is
// evidence: its conclusions alone are worth telling.
func (b *builder) reported(e memory.Event, kind memory.Kind) {
	if strings.TrimSpace(e.Text) == "" {
		return
	}
	detail := e.Text
	if e.Prompt != "" { // the task of a subagent
		detail = taskOfSubagent + e.Prompt + "\n\n" + e.Text
	}
	b.sighting(e, memory.Memory{Kind: kind, Content: e.Text, Detail: detail, Tags: tags(e.Source), Source: memory.SourceAssistant})
}

func (b *builder) prompt(e memory.Event) {
	if strings.TrimSpace(e.Prompt) == "" {
		return
	}
	b.batch.Prompts = append(b.batch.Prompts, memory.Prompt{
		ID: e.ID, Session: e.Session, Project: e.Project.Key, Text: memory.Cut(e.Prompt, maxPrompt), At: e.At,
	})
	for _, d := range knowledge.Directives(e.Prompt, knowledge.Context{LastWords: e.LastWords}) {
		id := b.drawn(e, memory.Memory{
			Kind: d.Kind, Content: d.Text, Files: pathsIn(d.Text), Source: memory.SourceUser,
		})
		b.batch.UserWritten = append(b.batch.UserWritten, id)
	}
	b.stated(e)
	b.concluded(e, knowledge.AcceptedPlan(e.Prompt))
}

func (b *builder) fileChanged(e memory.Event) {
	if e.File == "" {
		return
	}
	b.sighting(e, memory.Memory{Kind: memory.KindEdit, Content: change(e), Detail: e.After, Files: []string{e.File}})
	b.file(memory.File{Project: e.Project.Key, Path: e.File, SeenAt: e.At})
}

// Named lists the files of an event, which the memories made of it are about.
func Named(e memory.Event) []string {
	var names []string
	if e.File != "" {
		names = append(names, e.File)
	}
	return sorted(slices.Concat(names, e.Files, pathsIn(e.Prompt), pathsIn(e.Text)))
}

// failure describes a failure in one line: the command, the exit code, and the line of
// the output that is most likely the reason.
func failure(e memory.Event) string {
	first, rest, _ := strings.Cut(e.Error, "\n")
	code, isCode := strings.CutPrefix(first, "Exit code ")
	if !isCode {
		return fmt.Sprintf("`%s` failed: %s", memory.OneLine(e.Command), memory.Cut(memory.OneLine(first), maxSnippet*2))
	}
	text := fmt.Sprintf("`%s` failed with exit code %s", memory.OneLine(e.Command), code)
	if reason := memory.ErrorReason(rest); reason != "" {
		text += ": " + memory.Cut(reason, maxSnippet*2)
	}
	return text
}
