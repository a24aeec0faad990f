package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/rivo/uniseg"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
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

// JSONLines returns a writer of lines of JSON, each in one write. It escapes what could control a terminal, so nothing is lost.
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

// Decides asks a question that may stay undecided. isDecided is set if the answer is y, yes, n or no.
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

// gap is the number of spaces between two columns.
const gap = 2

// columns aligns the cells of each line, which are separated by tabs; the cells of consecutive lines form a column.
// A line that ends with cutHere is cut at the terminal's edge.
func (t *Terminal) columns(page string) string {
	var aligned strings.Builder
	w := tabwriter.NewWriter(&aligned, 0, 0, gap, ' ', 0)
	_, _ = w.Write([]byte(page)) // neither call fails, because a Builder accepts everything
	_ = w.Flush()
	var out strings.Builder
	for line := range strings.Lines(aligned.String()) {
		if text, isCut := strings.CutSuffix(line, cutHere+"\n"); isCut {
			line = t.fitted(text) + "\n"
		}
		out.WriteString(line)
	}
	return out.String()
}

// cutHere at the end of a line makes columns cut the line at the terminal's edge. Printable removes it from stored texts.
const cutHere = "\x01"

// fitted returns a text, cut with an ellipsis if it is wider than the terminal.
func (t *Terminal) fitted(text string) string {
	if t.Width == 0 || uniseg.StringWidth(text) <= t.Width {
		return text
	}
	var out strings.Builder
	clusters := uniseg.NewGraphemes(text)
	for used := 0; clusters.Next(); {
		if used += clusters.Width(); used > t.Width-1 {
			break
		}
		out.WriteString(clusters.Str())
	}
	return strings.TrimRight(out.String(), " ") + "…"
}

// Title returns a text for the end of a line that is cut at the terminal's edge.
func Title(text string) string { return Printable(memory.OneLine(text)) + cutHere }
