// Package passing tells facts that are true for a while (work to do, "13 tests still fail")
// from those that stand until they are changed.
package passing

import (
	_ "embed"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/rows"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

//go:embed states.txt
var table string

var phrases = func() language.Phrases {
	var all language.Phrases
	for _, row := range rows.Read(table) {
		all.Add(1, row.List(1))
	}
	return all
}()

var splitter = language.Splitter{Joints: "-'", Marks: ".,;:?!\n"}

// Is says whether a fact is of work to do, or states how things stand for a while. A rule or
// a decision stands until it is changed, however it is worded.
func Is(m memory.Memory) bool {
	switch m.Kind {
	case memory.KindTodo:
		return true
	case memory.KindNote, memory.KindDiscovery, memory.KindFix:
		return states(m.Title) || states(m.Content)
	default:
		return false
	}
}

// states says whether a text has one of the phrases.
func states(text string) bool { return phrases.In(splitter.List(text), 0) }
