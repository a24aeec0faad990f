package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Print writes a value as JSON, or as text in columns.
func (t *Terminal) Print(value any, text func(io.Writer)) error {
	if t.JSON {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetIndent("", "  ")
		if rows := reflect.ValueOf(value); rows.Kind() == reflect.Slice && rows.IsNil() {
			value = []any{} // no rows are an empty list to whoever reads it
		}
		if err := encoder.Encode(value); err != nil {
			return err
		}
		_, err := t.Out.Write(harmlessJSON(text.Bytes()))
		return err
	}
	var page bytes.Buffer
	text(&page)
	_, err := io.WriteString(t.Out, t.finished(t.columns(page.String())))
	return err
}

// finished removes the control characters of stored texts, and turns this program's own
// marks into colours.
func (t *Terminal) finished(page string) string {
	parts := strings.Split(page, mark)
	var out strings.Builder
	out.WriteString(Lines(parts[0]))
	for _, part := range parts[1:] {
		code, rest, _ := strings.Cut(part, "m")
		if t.Colour {
			out.WriteString("\x1b[" + code + "m")
		}
		out.WriteString(Lines(rest))
	}
	return out.String()
}

// IsYes asks a question. Only y means yes; without a terminal the answer is no.
func (t *Terminal) IsYes(question string) bool {
	return strings.HasPrefix(t.answer(question+" [y/N] "), "y")
}

// Agrees is IsYes for a step that is recommended: no more than the key Enter means yes.
func (t *Terminal) Agrees(question string) bool {
	answer := t.answer(question + " [Y/n] ")
	return answer == "\n" || strings.HasPrefix(answer, "y")
}

// Decides asks a question that may be left open: only y means yes, a word that begins with n means no, and anything else is no decision.
func (t *Terminal) Decides(question string) (yes, isDecided bool) {
	answer := t.answer(question + " [y/n, Enter: later] ")
	yes = strings.HasPrefix(answer, "y")
	return yes, yes || strings.HasPrefix(answer, "n")
}

// answer is y, yes, n or no, "?" for another word, a newline for no word, or "" where nobody answers.
func (t *Terminal) answer(question string) string {
	if !t.Interactive {
		return ""
	}
	_, _ = fmt.Fprint(t.Err, Lines(question))
	var answer string
	if _, err := fmt.Fscanln(t, &answer); answer == "" && !errors.Is(err, io.EOF) {
		return "\n"
	}
	switch answer = strings.ToLower(answer); answer {
	case "y", "yes", "n", "no":
		return answer
	}
	return "?"
}

// Broken is a message for standard error, with line breaks between words if that is a
// terminal.
func (t *Terminal) Broken(message string) string {
	if !t.Progress || t.Width == 0 {
		return message
	}
	return strings.Join(Wrapped(message, t.Width, t.visible), "\n")
}
