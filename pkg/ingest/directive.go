package ingest

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// directive is something the user said is to be kept.
type directive struct {
	kind memory.Kind
	text string
}

// markers are the words that, at the start of a line of a prompt, ask for the
// rest of the line to be kept. The longer of two that match comes first.
var markers = []struct {
	word string
	kind memory.Kind
}{
	{"remember that ", memory.KindNote},
	{"remember: ", memory.KindNote},
	{"note: ", memory.KindNote},
	{"todo: ", memory.KindTodo},
	{"convention: ", memory.KindConvention},
	{"decision: ", memory.KindDecision},
	{"preference: ", memory.KindPreference},
	{"i prefer ", memory.KindPreference},
}

// directives finds what a prompt asks to be kept, one for each typed line that
// begins with a marker in any case. Everything else of a prompt is only a prompt.
func directives(prompt string) []directive {
	var found []directive
	for _, line := range typedLines(prompt) {
		if d, ok := directiveOf(line); ok {
			found = append(found, d)
		}
	}
	return found
}

func directiveOf(line string) (directive, bool) {
	line = memory.OneLine(strings.TrimLeft(line, "-* \t"))
	for _, m := range markers {
		if len(line) <= len(m.word) || !strings.EqualFold(line[:len(m.word)], m.word) {
			continue
		}
		text := line[len(m.word):]
		if m.word == "i prefer " { // reads badly without its verb
			text = "Prefers " + text
		}
		return directive{m.kind, text}, true
	}
	return directive{}, false
}
