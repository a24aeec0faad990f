// Package ruleblock edits the marked block of an instruction file (CLAUDE.md, AGENTS.md) that has memories as rules, one
// a line, each with the id of its memory. It is pure: it changes texts, and no files.
package ruleblock

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
)

// The lines around the rules. The first may have any words behind begins.
const (
	begins = "<!-- surrealdb-memory:rules"
	begin  = begins + " -->"
	end    = "<!-- /surrealdb-memory:rules -->"
)

// marker finds the beginnings of both lines, wherever they stand.
var marker = regexp.MustCompile(`<!--\s*/?surrealdb-memory:rules`)

// withID is a line of the block: a rule, and the id of its memory.
var withID = regexp.MustCompile(`^(.*?)[ \t]*<!-- ([0-9a-f]{12}) -->[ \t]*\r?\n?$`)

// Text is the text of an instruction file with its block, which may be missing.
type Text struct {
	mark         string   // of its encoding, at its beginning
	before, open string   // open is the first line of the block; empty: there is none
	lines        []string // of the block, with their ends
	shut, after  string   // shut is its last line
	newline      string
}

const byteOrderMark = "\ufeff"

// Parse finds the block of a text. The error is memory.ErrInvalid if there are several, or one without its beginning or end.
func Parse(text string) (Text, error) {
	text, hasMark := strings.CutPrefix(text, byteOrderMark)
	t := Text{newline: "\n"}
	if hasMark {
		t.mark = byteOrderMark
	}
	if first, _, found := strings.Cut(text, "\n"); found && strings.HasSuffix(first, "\r") {
		t.newline = "\r\n"
	}
	var marks, from, to []int // lines
	lines := slices.Collect(strings.Lines(text))
	for i, line := range lines {
		for range marker.FindAllString(line, -1) {
			marks = append(marks, i)
		}
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == end:
			to = append(to, i)
		case strings.HasPrefix(trimmed, begins) && strings.Index(trimmed, "-->") == len(trimmed)-len("-->"):
			from = append(from, i)
		}
	}
	if len(marks) == 0 {
		t.before = text
		return t, nil
	}
	if len(marks) != 2 || len(from) != 1 || len(to) != 1 || from[0] > to[0] {
		return t, fmt.Errorf("the block of rules is broken: it has one line %q and, below, one line %q; lines %s name it: %w",
			begin, end, numbers(marks), memory.ErrInvalid)
	}
	t.before, t.open = strings.Join(lines[:from[0]], ""), lines[from[0]]
	if t.newline = "\n"; strings.HasSuffix(t.open, "\r\n") {
		t.newline = "\r\n"
	}
	t.lines = lines[from[0]+1 : to[0]]
	t.shut, t.after = lines[to[0]], strings.Join(lines[to[0]+1:], "")
	return t, nil
}

// numbers lists lines as people count them.
func numbers(lines []int) string {
	var all []string
	for _, line := range slices.Compact(lines) {
		all = append(all, fmt.Sprint(line+1))
	}
	return strings.Join(all, ", ")
}

// String returns the whole text.
func (t Text) String() string {
	return t.mark + t.before + t.open + strings.Join(t.lines, "") + t.shut + t.after
}

// Add adds a memory as the last rule of the block, and makes the block at the end of the text if there is none. It
// reports false, and changes nothing, if the block has the memory, or the file a line with its text.
func (t *Text) Add(m memory.Memory) bool {
	rule := Rule(m.Content)
	if slices.ContainsFunc(t.lines, func(line string) bool { return idOf(line) == memory.ShortID(m.ID) }) || t.says(rule) {
		return false
	}
	if t.open == "" {
		t.open, t.shut = begin+t.newline, end+t.newline
		switch {
		case t.before == "":
		case strings.HasSuffix(t.before, "\n"):
			t.before += t.newline
		default: // it ends without a newline, and so does the block: Remove finds out by that
			t.before += t.newline + t.newline
			t.shut = end
		}
	}
	t.lines = append(slices.Clone(t.lines), "- "+rule+" <!-- "+memory.ShortID(m.ID)+" -->"+t.newline)
	return true
}

// says reports whether a line of the text is a rule, whoever wrote it.
func (t *Text) says(rule string) bool {
	for line := range strings.Lines(t.String()) {
		if memory.Normalise(ruleOf(line)) == memory.Normalise(rule) {
			return true
		}
	}
	return false
}

// Remove removes the rules whose ids begin as those given, or are longer, and the block when nothing is left in it. It
// returns the ids of the rules. The error is memory.ErrInvalid if the beginning of an id is that of several rules.
func (t *Text) Remove(ids []string) (removed []string, err error) {
	for _, id := range ids {
		is := func(line string) bool {
			has := idOf(line)
			return has != "" && (strings.HasPrefix(has, id) || strings.HasPrefix(id, has))
		}
		at := slices.IndexFunc(t.lines, is)
		if at < 0 {
			continue
		}
		found := idOf(t.lines[at])
		removed = append(removed, found)
		t.lines = slices.DeleteFunc(slices.Clone(t.lines), func(line string) bool { return idOf(line) == found })
		if slices.ContainsFunc(t.lines, is) {
			return nil, fmt.Errorf("%s begins the ids of several rules: give more digits: %w", id, memory.ErrInvalid)
		}
	}
	if len(removed) > 0 && strings.TrimSpace(strings.Join(t.lines, "")) == "" {
		t.dropBlock()
	}
	return removed, nil
}

// dropBlock takes the block out, with the blank line before it.
func (t *Text) dropBlock() {
	if strings.HasSuffix(t.before, t.newline+t.newline) {
		t.before = strings.TrimSuffix(t.before, t.newline)
	}
	if t.after == "" && !strings.HasSuffix(t.shut, "\n") {
		t.before = strings.TrimSuffix(t.before, t.newline)
	}
	t.open, t.lines, t.shut = "", nil, ""
}

// IDs lists the beginnings of the ids of a text's rules, as memory.ShortID has them, and returns the text without these
// ids. Of a text whose block is broken there are none.
func IDs(text string) (ids []string, rest string) {
	t, err := Parse(text)
	if err != nil || t.open == "" {
		return nil, text
	}
	t.lines = slices.Clone(t.lines)
	for i, line := range t.lines {
		if id := idOf(line); id != "" {
			ids = append(ids, id)
			t.lines[i] = withID.ReplaceAllString(line, "$1") + t.newline
		}
	}
	return ids, t.String()
}

// Without returns a text without its block; one whose block is broken as it is.
func Without(text string) string {
	t, err := Parse(text)
	if err != nil || t.open == "" {
		return text
	}
	return t.mark + t.before + t.after
}

// idOf is the id at the end of a line of the block; empty if there is none.
func idOf(line string) string {
	if found := withID.FindStringSubmatch(line); found != nil {
		return found[2]
	}
	return ""
}

// ruleOf is a line without the mark of its item and the id.
func ruleOf(line string) string {
	if found := withID.FindStringSubmatch(line); found != nil {
		line = found[1]
	}
	line = strings.TrimSpace(line)
	for _, mark := range []string{"- ", "* ", "+ "} {
		if rest, is := strings.CutPrefix(line, mark); is {
			return strings.TrimSpace(rest)
		}
	}
	return line
}

// Rule is a text as a rule: on one line, which neither ends the block, nor is a heading or another block of Markdown,
// nor has the client include a file.
func Rule(text string) string {
	text = comments.Replace(defuse.Line(text))
	text = number.ReplaceAllString(text, `$1\$2$3`)
	if block.MatchString(text) {
		text = `\` + text
	}
	parts := strings.Split(text, "`")
	for i := range parts {
		isLast := i == len(parts)-1
		if i%2 == 0 || isLast { // outside of code; the last one has no end
			parts[i] = include.ReplaceAllString(parts[i], "$1`$2`")
		}
	}
	return strings.Join(parts, "`")
}

var (
	comments = strings.NewReplacer("<!--", "‹!--", "-->", "--›")
	block    = regexp.MustCompile("^(#{1,6}(\\s|$)|>|[-+*](\\s|$)|```|~~~|={2,}|-{2,}|\\*{3,}|_{3,})")
	number   = regexp.MustCompile(`^(\d{1,9})([.)])(\s|$)`)
	include  = regexp.MustCompile(`(^|\s)(@\S+)`)
)
