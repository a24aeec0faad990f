package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// Directive is a text that the user asked to keep.
type Directive struct {
	Kind memory.Kind
	Text string
}

// markers ask to keep the text after them.
var markers = func() (all []marker) {
	for _, row := range language.Rows(markersText) {
		all = append(all, marker{row.Columns[0], memory.Kind(row.Column(1)), row.Column(2)})
	}
	return all
}()

// marker opens a typed line. before is put in front of the rest, which needs it to be understood.
type marker struct {
	word   string
	kind   memory.Kind
	before string
}

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

// The marks that people put before a line or a word, and around it.
const (
	leadingMarks = "-*_>#`~•·–—+\"“”'( \t\u3000"
	emphasis     = "*_`"
)

var plain = strings.NewReplacer("*", "", "_", "", "`", "")

// markedHead is how much of a line a marker stands in, in bytes.
const markedHead = 60

// directiveOf is the request of a line that begins with a marker, whatever marks, emphasis and
// width the marker is written in: "**Remember:**", "> remember:", "- Remember：".
func directiveOf(line string) (Directive, bool) {
	line, _ = withoutBullet(memory.OneLine(strings.TrimLeft(line, leadingMarks)))
	head := line[:strings.LastIndexByte(line[:min(len(line), markedHead)], ' ')+1]
	for _, text := range []string{line, plain.Replace(head) + line[len(head):]} {
		for _, m := range markers {
			if rest := strings.Trim(behind(text, m.word), emphasis+" "); rest != "" {
				return Directive{m.kind, strings.TrimSpace(m.before + " " + rest)}, true
			}
		}
		if rest := strings.TrimLeft(askedInOtherLanguages(text), emphasis+" "); rest != "" {
			return Directive{memory.KindNote, rest}, true
		}
	}
	return Directive{}, false
}

// behind is the rest of a line that begins with words, in any case and width; empty if it does not.
func behind(line, words string) string {
	at := 0
	for _, want := range words {
		r, size := utf8.DecodeRuneInString(line[at:])
		for want == ':' && r == ' ' { // "Remember :"
			at += size
			r, size = utf8.DecodeRuneInString(line[at:])
		}
		if r >= '！' && r <= '～' { // full width
			r -= '！' - '!'
		}
		if size == 0 || unicode.ToLower(r) != want {
			return ""
		}
		at += size
	}
	if next := line[at:]; line[at-1] < utf8.RuneSelf && next != "" && next[0] < utf8.RuneSelf && !strings.ContainsRune(" "+emphasis, rune(next[0])) {
		return "" // "note:x", "i preferred"
	}
	return strings.TrimSpace(line[at:])
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
