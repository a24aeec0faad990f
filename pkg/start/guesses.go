package start

import (
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// lasting leaves out guesses that end in a question: it was answered in the same session.
func lasting(memories []memory.Memory) []memory.Memory {
	return slices.DeleteFunc(slices.Clone(memories), func(m memory.Memory) bool {
		return isGuessed(m) && strings.HasSuffix(strings.TrimSpace(m.Content), "?")
	})
}

// isGuessed reports whether a rule kept a memory that nobody asked for, pinned or confirmed.
func isGuessed(m memory.Memory) bool {
	return !m.Pinned && !m.Asked && m.Importance < memory.ConfirmedImportance
}
