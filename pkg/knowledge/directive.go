package knowledge

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Directive is a text that the user asked to keep.
type Directive struct {
	Kind memory.Kind
	Text string
}

// markers are the words that ask to keep the text after them. At the start of a typed
// line the rest of the line becomes a directive; elsewhere in a sentence, the rest of
// the sentence becomes a statement.
var markers = []struct {
	word             string
	kind             memory.Kind
	line, insideText bool
}{
	{"remember that ", memory.KindNote, true, true},
	{"remember: ", memory.KindNote, true, true},
	{"keep in mind that ", memory.KindNote, false, true},
	{"keep in mind: ", memory.KindNote, false, true},
	{"for the record: ", memory.KindNote, false, true},
	{"for the record, ", memory.KindNote, false, true},
	{"note: ", memory.KindNote, true, true},
	{"note that ", memory.KindNote, false, true},
	{"nb: ", memory.KindNote, false, true},
	{"fyi: ", memory.KindNote, false, true},
	{"fyi, ", memory.KindNote, false, true},
	{"important: ", memory.KindNote, false, true},
	{"todo: ", memory.KindTodo, true, true},
	{"convention: ", memory.KindConvention, true, true},
	{"rule: ", memory.KindConvention, false, true},
	{"decision: ", memory.KindDecision, true, true},
	{"preference: ", memory.KindPreference, true, true},
	{prefers, memory.KindPreference, true, false},
}

const prefers = "i prefer "

// Directives finds the texts that a prompt asks to keep: one for each typed line that
// begins with a marker, in any case. A line that the assistant has just written is
// pasted.
func Directives(prompt string, context Context) []Directive {
	typed, entered := typedLines(prompt)
	text := strings.Join(typed[:entered], "")
	var found []Directive
	for line := range strings.Lines(text[:documentFrom(text)]) {
		if d, ok := directiveOf(line); ok && !strings.Contains(context.LastWords, strings.TrimSpace(line)) {
			found = append(found, d)
		}
	}
	return found
}

func directiveOf(line string) (Directive, bool) {
	line = memory.OneLine(strings.TrimLeft(line, "-* \t"))
	for _, m := range markers {
		if !m.line || len(line) <= len(m.word) || !strings.EqualFold(line[:len(m.word)], m.word) {
			continue
		}
		text := line[len(m.word):]
		if m.word == prefers { // the text needs its verb
			text = "Prefers " + text
		}
		return Directive{m.kind, text}, true
	}
	if text := askedInOtherLanguages(line); text != "" {
		return Directive{memory.KindNote, text}, true
	}
	return Directive{}, false
}

// OwnWords is a prompt without the lines that it asks to keep, which would be shown
// twice, and without pasted text, unless everything is pasted.
func OwnWords(prompt string) string {
	typed, _ := typedLines(prompt)
	text := strings.TrimSpace(withoutDirectives(typed))
	if text == "" && len(Directives(prompt, Context{})) == 0 {
		return prompt
	}
	return text
}

// Entered is the text of a prompt before anything that somebody else speaks in, without
// its directives, which are memories of their own.
func Entered(prompt string) string {
	typed, entered := typedLines(prompt)
	return withoutDirectives(typed[:entered])
}

func withoutDirectives(typed []string) string {
	var rest strings.Builder
	for _, line := range typed {
		if _, kept := directiveOf(line); !kept {
			rest.WriteString(line)
		}
	}
	return rest.String()
}
