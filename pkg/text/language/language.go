// Package language reads texts: sentences, fields between spaces, words by four splitters, phrases, and prompts that only answer. It also reads tables of rules
// with their examples. It is pure and links the standard library only, so that hooks may use it. Stems, terms and word lists are in package english.
package language

import (
	"slices"
	"strings"
)

// Set returns the words of a list, which are separated by spaces, as a set.
func Set(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// Row is one rule of a table: a line of columns separated by " | ", followed by its examples. Packages embed their
// tables, and their tests check each row against its examples.
type Row struct {
	Line    int // line number in the table, from 1
	Columns []string
	Yes     []string // examples after "+ ", to which the rule applies
	No      []string // examples after "- ", which the rule leaves alone
}

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

// Rows parses a table. It skips empty lines and those that begin with "#". A line that begins with a tab continues the row above.
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

// Word lists for answers. They are constants: building a set at its start would cost every hook program.
const (
	// Yes lists the words that agree.
	Yes = " yes yep yeah yup ok okay sure "
	// No lists the words that refuse.
	No = " no nope nah "
	// Praise lists the words that praise or thank at the beginning of a text.
	Praise = " great thanks perfect cool nice "
	// Sighs lists interjections.
	Sighs = " hmm hm oh ah "

	continuations = Yes + No + Praise + "y n continue proceed next stop good lgtm"
)

// IsContinuation reports whether a prompt only answers, thanks or asks to go on ("yes", "go on"): nothing is recalled for it.
func IsContinuation(prompt string) bool {
	switch text := strings.ToLower(strings.TrimRight(prompt, " .!?")); text {
	case "go on", "go ahead", "do it", "please do", "yes please", "thank you":
		return true
	default:
		return slices.Contains(strings.Fields(continuations), text)
	}
}
