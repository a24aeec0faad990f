package terminal

import (
	"strings"

	"github.com/rivo/uniseg"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// gap is the number of spaces between two columns.
const gap = 2

// columns aligns the cells of each line, which are separated by tabs; the cells of consecutive lines form a column.
// A line that ends with cutHere is cut at the terminal's edge.
func (t *Terminal) columns(page string) string {
	lines := strings.Split(page, "\n")
	cells := make([][]string, len(lines))
	for i, line := range lines {
		cells[i] = strings.Split(line, "\t")
	}
	var out strings.Builder
	for i := range cells {
		last := len(cells[i]) - 1
		start := 0
		for c, cell := range cells[i][:last] {
			width := max(columnWidth(cells, i, c), uniseg.StringWidth(cell)) + gap
			out.WriteString(cell)
			out.WriteString(strings.Repeat(" ", width-uniseg.StringWidth(cell)))
			start += width
		}
		out.WriteString(t.lastCell(cells[i][last], start))
		if i < len(cells)-1 {
			out.WriteString("\n")
		}
	}
	return out.String()
}

// mostAligned is the width up to which a cell widens its column. A longer cell, such as an imported name, moves only its own
// line.
const mostAligned = 80

// columnWidth returns the width of the widest cell of a column up to mostAligned, in the consecutive lines around line that
// have this column.
func columnWidth(cells [][]string, line, column int) int {
	widest := 0
	has := func(i int) bool {
		isThere := i >= 0 && i < len(cells) && len(cells[i])-1 > column
		if isThere && uniseg.StringWidth(cells[i][column]) <= mostAligned {
			widest = max(widest, uniseg.StringWidth(cells[i][column]))
		}
		return isThere
	}
	for i := line; has(i); i-- {
	}
	for i := line + 1; has(i); i++ {
	}
	return widest
}

// cutHere at the end of a cell makes columns cut the cell at the terminal's edge. Printable removes it from stored
// texts.
const cutHere = "\x01"

// leastRoom is the minimum width of a last cell, even on a narrow terminal.
const leastRoom = 20

// lastCell returns the last cell of a line, cut to fit after start columns if it ends with cutHere.
func (t *Terminal) lastCell(cell string, start int) string {
	cell, isCut := strings.CutSuffix(cell, cutHere)
	room := max(t.Width-start, leastRoom)
	if !isCut || t.Width == 0 || uniseg.StringWidth(cell) <= room {
		return cell
	}
	return cut(cell, room)
}

// cut returns a text cut to at most room columns, including the ellipsis.
func cut(text string, room int) string {
	var out strings.Builder
	clusters := uniseg.NewGraphemes(text)
	for used := 0; clusters.Next(); {
		if used += clusters.Width(); used > room-1 {
			break
		}
		out.WriteString(clusters.Str())
	}
	return strings.TrimRight(out.String(), " ") + "…"
}

// Title returns a text for the last cell of a line that is cut at the terminal's edge.
func Title(text string) string { return Printable(memory.OneLine(text)) + cutHere }
