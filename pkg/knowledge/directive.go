package knowledge

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Directive is a text that the user asked to keep.
type Directive struct {
	Kind memory.Kind
	Text string
}

// markers ask to keep the text after them.
var markers = func() (all []marker) {
	for _, row := range language.Rows(markersText) {
		all = append(all, marker{
			row.Columns[0] + " ", memory.Kind(row.Column(1)),
			strings.Contains(row.Column(2), "line"), strings.Contains(row.Column(2), "text"),
		})
	}
	return all
}()

// marker opens a typed line (line), or stands before the rest of a sentence (insideText).
type marker struct {
	word             string
	kind             memory.Kind
	line, insideText bool
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
