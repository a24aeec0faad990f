package ingest

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/quarantine"
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
// of the user. The kind that the rule guessed becomes a tag: only people make rules.
func (b *builder) concluded(e memory.Event) {
	for _, s := range knowledge.Conclusions(e.Text) {
		b.drawn(e, memory.Memory{
			Kind: memory.KindDiscovery, Content: s.Text, Detail: about(s), Files: pathsIn(s.Text), Source: memory.SourceAssistant,
			Tags: tags(memory.TagConclusion, string(s.Kind)), Scope: memory.ScopeProject, Type: memory.TypeSemantic,
			Importance: profileOf(memory.KindDiscovery).importance * s.Salience,
		})
	}
}

// about is the heading of a statement and the text it answers.
func about(s knowledge.Statement) string {
	return strings.TrimSpace(s.Heading + "\n" + s.Answers)
}
