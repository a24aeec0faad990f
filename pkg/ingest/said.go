package ingest

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/quarantine"
)

// stated keeps what a person stated in a prompt without being asked to be kept. It
// is less than what was asked for: it fades, a later row may correct it, and how
// sure the rule was makes its importance. What is guessed to be a preference is one
// of this project only.
func (b *builder) stated(e memory.Event) {
	for _, s := range knowledge.Statements(knowledge.WithoutDirectives(e.Prompt), knowledge.Context{}) {
		if len(quarantine.Judge(s.Text)) > 0 { // a guess that it was typed is not enough for that
			continue
		}
		profile := profileOf(s.Kind)
		b.drawn(e, memory.Memory{
			Kind: s.Kind, Content: s.Text, Detail: about(s), Files: pathsIn(s.Text), Source: memory.SourceUser,
			Scope: memory.ScopeProject, Importance: profile.importance * s.Salience,
		})
	}
}

// concluded keeps what the assistant or a subagent concluded at the end of its
// work, below what a person stated. The kind that the rule guessed is its tag: only
// people make rules.
func (b *builder) concluded(e memory.Event) {
	for _, s := range knowledge.Conclusions(e.Text) {
		b.drawn(e, memory.Memory{
			Kind: memory.KindDiscovery, Content: s.Text, Detail: about(s), Files: pathsIn(s.Text), Source: memory.SourceAssistant,
			Tags: tags(memory.TagConclusion, string(s.Kind)), Scope: memory.ScopeProject, Type: memory.TypeSemantic,
			Importance: profileOf(memory.KindDiscovery).importance * s.Salience,
		})
	}
}

// about is what a statement stands under and what it answers.
func about(s knowledge.Statement) string {
	return strings.TrimSpace(s.Heading + "\n" + s.Answers)
}
