package knowledge

import (
	_ "embed"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

//go:embed rules/passing.txt
var passingText string

var passingPhrases = func() language.Phrases {
	var all language.Phrases
	for _, row := range language.Rows(passingText) {
		all.Add(1, row.List(1))
	}
	return all
}()

// IsPassing reports whether a fact is true for a while only: work to do, or how things stand ("13
// tests still fail"). A rule or a decision stands until it is changed, however it is worded.
func IsPassing(m memory.Memory) bool {
	switch m.Kind {
	case memory.KindTodo:
		return true
	case memory.KindNote, memory.KindDiscovery, memory.KindFix:
		return isState(m.Title) || isState(m.Content)
	default:
		return false
	}
}

// isState reports whether a text has one of the phrases.
func isState(text string) bool { return passingPhrases.In(language.Clauses.List(text), 0) }
