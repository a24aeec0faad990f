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

// Print prints a value as JSON if t.JSON is set, and otherwise the text, with its cells in columns.
func (t *Terminal) Print(value any, text func(io.Writer)) error {
	if t.JSON {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetIndent("", "  ")
		if rows := reflect.ValueOf(value); rows.Kind() == reflect.Slice && rows.IsNil() {
			value = []any{} // readers of JSON expect an empty list, not null
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

// finished makes the control characters of stored texts harmless, and turns this program's own marks into colours.
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

// IsYes asks a question and reports whether the answer is yes. Only y or yes means yes; without a terminal the answer is no.
func (t *Terminal) IsYes(question string) bool {
	return strings.HasPrefix(t.answer(question+" [y/N] "), "y")
}

// Agrees does what IsYes does for a recommended step: the Enter key alone means yes too.
func (t *Terminal) Agrees(question string) bool {
	answer := t.answer(question + " [Y/n] ")
	return answer == "\n" || strings.HasPrefix(answer, "y")
}

// Decides asks a question that may stay undecided: y or yes means yes, n or no means no, and any other answer leaves it open.
func (t *Terminal) Decides(question string) (yes, isDecided bool) {
	answer := t.answer(question + " [y/n, Enter: later] ")
	yes = strings.HasPrefix(answer, "y")
	return yes, yes || strings.HasPrefix(answer, "n")
}

// answer returns y, yes, n or no, "?" for another word, a newline for no word, or "" if nobody can answer.
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

// Broken returns a message for standard error, with line breaks between words if standard error is a terminal.
func (t *Terminal) Broken(message string) string {
	if !t.Progress || t.Width == 0 {
		return message
	}
	return strings.Join(Wrapped(message, t.Width, t.visible), "\n")
}
