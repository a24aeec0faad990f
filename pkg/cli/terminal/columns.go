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

// columns aligns the cells of each line, which tabs separate; the cells of consecutive lines form a column. Where the
// terminal ends, the last cell of a line is broken between words, or, if the line ends with cutHere, cut.
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
			width := t.columnWidth(cells, i, c) + gap
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

// columnWidth returns the width of the widest cell of a column, in the consecutive lines around line that have it.
func (t *Terminal) columnWidth(cells [][]string, line, column int) int {
	widest := 0
	has := func(i int) bool { return i >= 0 && i < len(cells) && len(cells[i])-1 > column }
	for i := line; has(i); i-- {
		widest = max(widest, t.visible(cells[i][column]))
	}
	for i := line + 1; has(i); i++ {
		widest = max(widest, t.visible(cells[i][column]))
	}
	return widest
}

// cutHere at the end of a cell means that the cell is cut where the terminal ends. Printable removes cutHere from stored
// texts.
const cutHere = "\x01"

// leastRoom is the least width of a last cell, in columns, even on a narrow terminal.
const leastRoom = 20

// lastCell returns the last cell of a line, broken or cut to fit after start columns.
func (t *Terminal) lastCell(cell string, start int) string {
	cell, isCut := strings.CutSuffix(cell, cutHere)
	room := max(t.Width-start, leastRoom)
	switch {
	case t.Width == 0 || t.visible(cell) <= room:
		return cell
	case isCut:
		return cut(cell, room)
	case start == 0:
		return cell // the terminal breaks the line, so that it can be copied as one
	}
	return strings.Join(Wrapped(cell, room, t.visible), "\n"+strings.Repeat(" ", start))
}

// cut returns the beginning of a text that fills at most room columns, including the ellipsis at its end.
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

// visible returns how many columns of a terminal a text fills. The marks of colours fill none.
func (t *Terminal) visible(text string) int {
	parts := strings.Split(text, mark)
	width := uniseg.StringWidth(parts[0])
	for _, part := range parts[1:] {
		_, rest, _ := strings.Cut(part, "m")
		width += uniseg.StringWidth(rest)
	}
	return width
}

// Title returns a text for the last cell of a line, to be cut where the terminal ends.
func Title(text string) string { return Printable(memory.OneLine(text)) + cutHere }

// Wrapped breaks a text between words into lines of at most width columns; a longer word gets a line of its own.
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
