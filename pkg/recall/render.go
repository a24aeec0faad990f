// Package recall decides what is put in front of the model: it ranks memories in
// an index of its own, renders them as text and packs them into an exact token
// budget. It is pure: rows come in, text goes out. It refuses to read a store or a
// clock.
package recall

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// maxLineBytes cuts what is rendered of one memory, so that one long memory
// cannot push out all others.
const maxLineBytes = 2000

// Line renders a memory as recall injects it: one line that starts with "- " and
// ends in a newline, which is what makes token counts add up.
func Line(m memory.Memory) string {
	if m.Kind == memory.KindTodo {
		return item("[ ] " + m.Content)
	}
	return item(m.Content)
}

// SummaryLine renders the summary of a session in the same form.
func SummaryLine(text string) string { return item(text) }

func item(text string) string {
	return "- " + memory.Cut(redact.EscapeTag(memory.OneLine(text)), maxLineBytes) + "\n"
}

// Counted returns a memory with the tokens of its line by the counter's encoding.
func Counted(m memory.Memory, counter tokens.Counter) memory.Memory {
	m.TokenCount, m.TokenEncoding = MemoryItem(m, counter).Tokens, counter.Encoding()
	return m
}
