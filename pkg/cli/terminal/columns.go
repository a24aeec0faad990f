package terminal

import (
	"strings"

	"github.com/rivo/uniseg"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Header returns the first line of a table.
func (t *Terminal) Header(names ...string) string {
	for i, name := range names {
		names[i] = t.Paint(Dim, name)
	}
	return strings.Join(names, "\t") + "\n"
}

// gap is the number of spaces between two columns.
const gap = 2

// columns aligns the cells of each line, which are separated by tabs; the cells of consecutive lines form a column.
// At the terminal's edge the last cell of a line is wrapped between words, or cut if the line ends with cutHere.
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
			width := max(t.columnWidth(cells, i, c), t.visible(cell)) + gap
			out.WriteString(cell)
			out.WriteString(strings.Repeat(" ", width-t.visible(cell)))
			start += width
		}
		out.WriteString(t.lastCell(cells[i][last], start))
		if i < len(cells)-1 {
			out.WriteString("\n")
		}
	}
	return out.String()
}

// mostAligned is the width up to which a cell widens its column. A longer one, such as a name that was imported, moves
// only its own line.
const mostAligned = 80

// columnWidth returns the width of the widest cell of a column up to mostAligned, in the consecutive lines around line that
// have this column.
func (t *Terminal) columnWidth(cells [][]string, line, column int) int {
	widest := 0
	has := func(i int) bool {
		isThere := i >= 0 && i < len(cells) && len(cells[i])-1 > column
		if isThere && t.visible(cells[i][column]) <= mostAligned {
			widest = max(widest, t.visible(cells[i][column]))
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

// lastCell returns the last cell of a line, wrapped or cut to fit after start columns.
func (t *Terminal) lastCell(cell string, start int) string {
	cell, isCut := strings.CutSuffix(cell, cutHere)
	room := max(t.Width-start, leastRoom)
	switch {
	case t.Width == 0 || t.visible(cell) <= room:
		return cell
	case isCut:
		return cut(cell, room)
	case start == 0:
		return cell // the terminal wraps the line, so that it can be copied as one
	}
	return strings.Join(Wrapped(cell, room, t.visible), "\n"+strings.Repeat(" ", start))
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

// visible returns the number of columns that a text fills, without colour codes.
func (t *Terminal) visible(text string) int {
	parts := strings.Split(text, codePrefix)
	width := uniseg.StringWidth(parts[0])
	for _, part := range parts[1:] {
		_, rest, _ := strings.Cut(part, "m")
		width += uniseg.StringWidth(rest)
	}
	return width
}

// Title returns a text for the last cell of a line that is cut at the terminal's edge.
func Title(text string) string { return Printable(memory.OneLine(text)) + cutHere }

// Wrapped returns a text as lines of at most width columns, broken between words. A longer word gets a line of its
// own.
func Wrapped(text string, width int, widthOf func(string) int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case widthOf(*last)+1+widthOf(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
