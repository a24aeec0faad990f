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

// Print prints a value as JSON if t.JSON is set, and otherwise the text, with its cells aligned in columns.
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
	_, err := io.WriteString(t.Out, Lines(t.columns(page.String())))
	return err
}

// JSONLines returns a writer of lines of JSON, each in one write, in which nothing steers a terminal and nothing is lost.
func JSONLines(w io.Writer) io.Writer { return jsonLines{w} }

type jsonLines struct{ to io.Writer }

func (l jsonLines) Write(line []byte) (int, error) {
	if _, err := l.to.Write(harmlessJSON(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// IsYes asks a question and reports whether the answer is y or yes. Without a terminal it returns false.
func (t *Terminal) IsYes(question string) bool {
	return strings.HasPrefix(t.answer(question+" [y/N] "), "y")
}

// Agrees asks a question and reports whether the answer is y, yes or the Enter key alone.
func (t *Terminal) Agrees(question string) bool {
	answer := t.answer(question + " [Y/n] ")
	return answer == "\n" || strings.HasPrefix(answer, "y")
}

// Decides asks a question that may stay undecided. isDecided is false unless the answer is y, yes, n or no.
func (t *Terminal) Decides(question string) (yes, isDecided bool) {
	answer := t.answer(question + " [y/n, Enter: later] ")
	yes = strings.HasPrefix(answer, "y")
	return yes, yes || strings.HasPrefix(answer, "n")
}

// answer returns y, yes, n or no; "?" for another word; a newline for no word; "" if nobody can answer.
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
