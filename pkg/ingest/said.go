package ingest

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/quarantine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// stated keeps statements of a prompt that were not marked to be kept. They rank below
// marked ones: they fade, later rows may correct them, and the rule's confidence sets
// their importance. A guessed preference belongs to this project only.
func (b *builder) stated(e memory.Event) {
	for _, s := range knowledge.Statements(knowledge.Entered(e.Prompt), knowledge.Context{LastWords: e.LastWords}) {
		if len(quarantine.Judge(s.Text)) > 0 { // a guess that the user typed it is not enough for such text
			continue
		}
		profile := profileOf(s.Kind)
		b.drawn(e, memory.Memory{
			Kind: s.Kind, Content: s.Text, Detail: about(s), Files: pathsIn(s.Text), Source: memory.SourceUser,
			Scope: memory.ScopeProject, Importance: profile.importance * s.Salience,
		})
	}
}

// How sure it is that an answer in the client's own dialogs holds beyond the moment.
const (
	answerSalience   = 0.8
	refusalSalience  = 0.8
	questionSalience = 0.5 // of a refusal that only asks
)

// maxAsked is the most that a memory repeats of the question or the refused call, in
// bytes; its detail has more.
const maxAsked = 300

// answered keeps the user's answer to a question that the assistant asked by a tool as a
// decision. The question stays the assistant's and is quoted, and so are the words of an
// answer that were offered with it.
func (b *builder) answered(e memory.Event) {
	if !knowledge.Decides(e.LastWords, e.Text) {
		return
	}
	entered := e.Text
	if !e.ByUser {
		entered = "answered " + defuse.Quote(e.Text)
	}
	b.dialog(e, memory.Memory{
		Kind: memory.KindDecision, Content: inDialog(entered, "asked", memory.Cut(memory.OneLine(e.LastWords), maxAsked)),
		Detail: strings.TrimSpace(e.LastWords + "\n" + e.Output), Importance: profileOf(memory.KindDecision).importance * answerSalience,
	})
}

// inDialog is the user's text in a dialog, and the subject of the dialog, in quotation
// marks.
func inDialog(entered, about, text string) string {
	return defuse.Unquoted(entered) + " (" + about + ": " + defuse.Quote(text) + ")"
}

// refused keeps the words with which the user refused a tool call, or a plan, as a
// correction.
func (b *builder) refused(e memory.Event) {
	if !knowledge.Corrects(e.Text) {
		return
	}
	salience := refusalSalience
	if strings.HasSuffix(e.Text, "?") {
		salience = questionSalience
	}
	b.dialog(e, memory.Memory{
		Kind: memory.KindCorrection, Content: inDialog(e.Text, "refused", refusedCall(e)), Detail: e.LastWords,
		Importance: profileOf(memory.KindCorrection).importance * salience,
	})
}

// refusedCall names the refused call.
func refusedCall(e memory.Event) string {
	switch {
	case e.File != "":
		return e.Tool + " of " + e.File
	case e.Command != "":
		return memory.Cut(memory.OneLine(e.Command), maxSnippet)
	case e.LastWords != "":
		return memory.Cut(memory.OneLine(e.LastWords), maxSnippet)
	}
	return e.Tool
}

// dialog keeps the user's answer in a dialog of the client's.
func (b *builder) dialog(e memory.Event, m memory.Memory) {
	m.Source, m.Scope, m.Files = memory.SourceUser, memory.ScopeProject, pathsIn(e.Text)
	if e.File != "" {
		m.Files = append(m.Files, e.File)
	}
	b.drawn(e, m)
}

// concluded keeps conclusions of the assistant, ranked below statements of the user. The kind that the rule guessed becomes a tag: only people make rules. A
// question is left to Questions, because the next prompt usually answers it.
func (b *builder) concluded(e memory.Event, text string) { b.conclude(e, knowledge.Conclusions(text)) }

func (b *builder) conclude(e memory.Event, found []knowledge.Statement) {
	for _, s := range found {
		if s.Rule != knowledge.RuleQuestion {
			b.drawn(e, conclusion(s))
		}
	}
}

func conclusion(s knowledge.Statement) memory.Memory {
	return memory.Memory{
		Kind: memory.KindDiscovery, Content: s.Text, Detail: about(s), Files: pathsIn(s.Text), Source: memory.SourceAssistant,
		Tags: tags(memory.TagConclusion, string(s.Kind)), Scope: memory.ScopeProject, Type: memory.TypeSemantic,
		Importance: profileOf(memory.KindDiscovery).importance * s.Salience,
	}
}

// Questions keeps the question with which a session that is over has ended. Earlier ones
// were answered by the prompt after them.
func Questions(a memory.SessionRecord, counter tokens.Counter) memory.Batch {
	var last memory.SessionEvent
	for _, said := range a.SessionEvents {
		if said.Kind == memory.EventTurnEnded && said.At.After(last.At) {
			last = said
		}
	}
	for _, p := range a.Prompts {
		if _, typed := knowledge.Typed(p.Text); typed && p.At.After(last.At) {
			return memory.Batch{}
		}
	}
	b := builder{memories: map[string]int{}, counter: counter}
	for _, s := range knowledge.Conclusions(last.Text) {
		if s.Rule == knowledge.RuleQuestion {
			b.drawn(memory.Event{ID: last.ID, Session: a.Session.ID, At: last.At, Project: memory.Project{Key: a.Session.Project}}, conclusion(s))
		}
	}
	return b.batch
}

// about is the heading of a statement and the text it answers.
func about(s knowledge.Statement) string {
	return strings.TrimSpace(s.Heading + "\n" + s.Answers)
}
