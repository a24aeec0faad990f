package briefing

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// IsOfARule says whether a rule may have kept a memory without being asked to.
func IsOfARule(m memory.Memory) bool {
	return m.Kind.UserAuthored() && m.Source == memory.SourceUser || m.IsConclusion()
}

// RuleOf is the name of the rule that kept a memory's text; empty if none did: then
// somebody asked for it.
func RuleOf(m memory.Memory) string {
	found := knowledge.Statements(m.Content, knowledge.Context{LastWords: m.Detail}) // a short statement is found by the words it answers
	switch {
	case m.IsConclusion():
		found = knowledge.Conclusions(m.Content)
	case len(found) == 0: // older versions kept it
		found = knowledge.Finder{AsWorded: true}.Statements(m.Content, knowledge.Context{})
	}
	if len(found) == 0 {
		return ""
	}
	return found[0].Rule
}
