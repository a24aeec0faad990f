package ingest

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/quarantine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// stated keeps statements of a prompt that were not marked to be kept. They rank below
// marked ones: they fade, later rows may correct them, and the rule's confidence sets
// their importance. A guessed preference belongs to this project only.
func (b *builder) stated(e memory.Event) {
	for _, s := range knowledge.Statements(knowledge.WithoutDirectives(e.Prompt), knowledge.Context{LastWords: e.LastWords}) {
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

// concluded keeps conclusions of the assistant or a subagent, ranked below statements
// of the user. The kind that the rule guessed becomes a tag: only people make rules. A
// question is left to Questions, because the next prompt usually answers it.
func (b *builder) concluded(e memory.Event, text string) {
	for _, s := range knowledge.Conclusions(text) {
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
