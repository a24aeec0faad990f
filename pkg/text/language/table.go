package language

import "strings"

// Row is a rule of a table: a line of columns, which " | " parts, and its examples below. Packages
// embed their tables, and their tests hold each row to its own examples.
type Row struct {
	Line    int // in the table, from 1
	Columns []string
	Yes     []string // examples behind "+ ": the rule does its work on them
	No      []string // examples behind "- ": it leaves them alone
}

// Column is a column of the row, or "" if it has less.
func (r Row) Column(i int) string {
	if i >= len(r.Columns) {
		return ""
	}
	return r.Columns[i]
}

// List is a column that " ; " parts.
func (r Row) List(i int) []string {
	if r.Column(i) == "" {
		return nil
	}
	return strings.Split(r.Column(i), " ; ")
}

// Rows reads a table. Empty lines and those that begin with "#" are no rows. A line
// that begins with a tab goes on with the row before it.
func Rows(table string) []Row {
	var all []Row
	number := 0
	for line := range strings.Lines(table) {
		number++
		line = strings.TrimSuffix(line, "\n")
		mark, rest, _ := strings.Cut(line, " ")
		last := len(all) - 1
		switch {
		case line == "" || line[0] == '#':
		case last >= 0 && line[0] == '\t':
			end := len(all[last].Columns) - 1
			all[last].Columns[end] += " " + line[1:]
		case last >= 0 && mark == "+":
			all[last].Yes = append(all[last].Yes, rest)
		case last >= 0 && mark == "-":
			all[last].No = append(all[last].No, rest)
		default:
			all = append(all, Row{Line: number, Columns: strings.Split(line, " | ")})
		}
	}
	return all
}
