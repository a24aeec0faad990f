package start

import (
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// todoDays is how many active days a start tells of a todo that a rule guessed.
const todoDays = 3

// lasting leaves out guesses that end in a question: it was answered in the same session.
func lasting(memories []memory.Memory) []memory.Memory {
	return slices.DeleteFunc(slices.Clone(memories), func(m memory.Memory) bool {
		return isGuessed(m) && strings.HasSuffix(strings.TrimSpace(m.Content), "?")
	})
}

// current leaves out the todos that were guessed longer than some days ago.
func (o order) current(todos []memory.Memory) []memory.Memory {
	return slices.DeleteFunc(slices.Clone(todos), func(m memory.Memory) bool { return isGuessed(m) && o.age(m) > todoDays })
}

// isGuessed tells by its importance whether nobody asked to keep a memory, and nobody said
// it twice: a guess has its kind's importance times its salience, see package ingest.
func isGuessed(m memory.Memory) bool {
	least := 0.8
	switch m.Kind {
	case memory.KindNote:
		least = 0.6
	case memory.KindTodo:
		least = 0.7
	default:
	}
	return !m.Pinned && m.Importance < least
}
