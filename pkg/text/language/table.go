package language

import "strings"

// Row is one rule of a table: a line of columns separated by " | ", followed by its examples. Packages embed their
// tables, and their tests check each row against its examples.
type Row struct {
	Line    int // line number in the table, from 1
	Columns []string
	Yes     []string // examples after "+ ", to which the rule applies
	No      []string // examples after "- ", which the rule leaves alone
}

// Column returns column i, or "" if the row is shorter.
func (r Row) Column(i int) string {
	if i >= len(r.Columns) {
		return ""
	}
	return r.Columns[i]
}

// List splits column i at " ; ".
func (r Row) List(i int) []string {
	if r.Column(i) == "" {
		return nil
	}
	return strings.Split(r.Column(i), " ; ")
}

// Rows parses a table. It skips empty lines and lines that begin with "#". A line that begins with a tab continues
// the row before it.
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
