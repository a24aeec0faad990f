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

// markers are the words that ask to keep the text after them.
var markers = func() (all []marker) {
	for _, row := range language.Rows(markersText) {
		all = append(all, marker{row.Columns[0], memory.Kind(row.Column(1)), row.Column(2)})
	}
	return all
}()

// marker opens a typed line. before is put in front of the kept text if the text needs it to be understood.
type marker struct {
	word   string
	kind   memory.Kind
	before string
}

// Directives returns the texts that a prompt asks to keep: one for each typed line that begins with a marker, in
// any case. It ignores a line that the assistant has just written, because the user pasted it.
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

// The marks that people put before a line, and around a word.
const (
	leadingMarks = "-*_>#`~•·–—+\"“”'( \t\u3000"
	emphasis     = "*_`"
)

var plain = strings.NewReplacer("*", "", "_", "", "`", "")

// markedHead is the number of bytes at the beginning of a line in which a marker may end.
const markedHead = 60

// directiveOf returns the request of a line that begins with a marker, with any list mark, emphasis or full-width
// form around it: "**Remember:**", "> remember:", "- Remember：".
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

// behind returns the rest of a line that begins with words, in any case and width, or "" if it does not begin with
// them.
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

// WithoutPaste returns a prompt without pasted text and without its directives, which would be shown twice. If
// everything is pasted it returns the whole prompt.
func WithoutPaste(prompt string) string {
	typed, _ := typedLines(prompt)
	text := strings.TrimSpace(withoutDirectives(typed))
	if text == "" && len(Directives(prompt, Context{})) == 0 {
		return prompt
	}
	return text
}

// TypedText returns the typed part of a prompt before any part that somebody else wrote, without its directives,
// which are memories of their own.
func TypedText(prompt string) string {
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
