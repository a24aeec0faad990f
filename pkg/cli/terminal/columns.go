package terminal

import (
	"strings"

	"github.com/rivo/uniseg"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Header is the first line of a table.
func (t *Terminal) Header(names ...string) string {
	for i, name := range names {
		names[i] = t.Paint(Dim, name)
	}
	return strings.Join(names, "\t") + "\n"
}

// gap is between two columns.
const gap = 2

// columns puts the cells of each line, which end in tabs, below each other: cells
// of lines that follow each other are a column. The last cell of a line is broken
// between words where the terminal ends, or, in a line that ends with cutHere, cut.
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

// columnWidth is the width of the widest cell of a column around a line.
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

// cutHere at the end of a cell means that it is cut where the terminal ends. Printable
// removes it from stored texts.
const cutHere = "\x01"

// leastRoom is the least width of a last cell, in columns, also on a narrow terminal.
const leastRoom = 20

// lastCell is the last cell of a line as it fits behind so many columns.
func (t *Terminal) lastCell(cell string, start int) string {
	cell, isCut := strings.CutSuffix(cell, cutHere)
	room := max(t.Width-start, leastRoom)
	switch {
	case t.Width == 0 || t.visible(cell) <= room:
		return cell
	case isCut:
		return cut(cell, room)
	case start == 0:
		return cell // the terminal breaks it, and it can be copied as one
	}
	return strings.Join(Wrapped(cell, room, t.visible), "\n"+strings.Repeat(" ", start))
}

// cut is the beginning of a text that fills so many columns, with an ellipsis.
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

// visible is how many columns of a terminal a text fills; the marks of colours
// fill none.
func (t *Terminal) visible(text string) int {
	parts := strings.Split(text, mark)
	width := uniseg.StringWidth(parts[0])
	for _, part := range parts[1:] {
		_, rest, _ := strings.Cut(part, "m")
		width += uniseg.StringWidth(rest)
	}
	return width
}

// Title is a text as the last cell of a line, cut where the terminal ends.
func Title(text string) string { return Printable(memory.OneLine(text)) + cutHere }

// Wrapped breaks a text between words into lines of at most that width.
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
