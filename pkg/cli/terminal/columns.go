package terminal

import (
	"strings"
	"text/tabwriter"

	"github.com/rivo/uniseg"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

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

// cutHere at the end of a line makes columns cut the line at the terminal's edge. Printable removes it from stored
// texts.
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
