// Package ruleblock edits the marked block in an instruction file (CLAUDE.md, AGENTS.md) that lists memories as
// rules, one per line with the memory's id. It is pure: it changes texts, not files.
package ruleblock

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
)

// The marker lines around the rules. The first line may have more words after the text of begins.
const (
	begins = "<!-- surrealdb-memory:rules"
	begin  = begins + " -->"
	end    = "<!-- /surrealdb-memory:rules -->"
)

// marker matches the beginning of either marker line, anywhere in a line.
var marker = regexp.MustCompile(`<!--\s*/?surrealdb-memory:rules`)

// withID matches a line of the block: a rule and the id of its memory.
var withID = regexp.MustCompile(`^(.*?)[ \t]*<!-- ([0-9a-f]{12}) -->[ \t]*\r?\n?$`)

// Text is a parsed instruction file. Its block may be missing.
type Text struct {
	before, open string   // open: first line of the block; empty without a block
	lines        []string // lines inside the block, with line ends
	shut, after  string   // shut: last line of the block
	newline      string
}

// Parse finds the block in a text. It fails with memory.ErrInvalid for several blocks, or one without both marker lines.
func Parse(text string) (Text, error) {
	t := Text{newline: "\n"}
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
		return t, fmt.Errorf("the block of rules is broken: it needs exactly one line %q and below it one line %q, but lines %s mention it: %w",
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

// numbers lists line indexes as line numbers, from 1.
func numbers(lines []int) string {
	return strings.Join(memory.Each(slices.Compact(lines), func(line int) string { return fmt.Sprint(line + 1) }), ", ")
}

func (t Text) String() string {
	return t.before + t.open + strings.Join(t.lines, "") + t.shut + t.after
}

// Add appends a memory as the last rule, and creates the block at the end of the text if there is none. It changes
// nothing and returns false if the block has the memory or the file has a line with its text.
func (t *Text) Add(m memory.Memory) bool {
	rule := FormatRule(m.Content)
	if slices.ContainsFunc(t.lines, func(line string) bool { return idOf(line) == memory.ShortID(m.ID) }) || t.says(rule) {
		return false
	}
	if t.open == "" {
		t.open, t.shut = begin+t.newline, end+t.newline
		switch {
		case t.before == "":
		case strings.HasSuffix(t.before, "\n"):
			t.before += t.newline
		default: // no final newline: the block gets none either, so that Remove can restore the text
			t.before += t.newline + t.newline
			t.shut = end
		}
	}
	t.lines = append(slices.Clone(t.lines), "- "+rule+" <!-- "+memory.ShortID(m.ID)+" -->"+t.newline)
	return true
}

// says reports whether any line of the text states the rule, whoever wrote it.
func (t *Text) says(rule string) bool {
	for line := range strings.Lines(t.String()) {
		if memory.Normalise(ruleOf(line)) == memory.Normalise(rule) {
			return true
		}
	}
	return false
}

// Remove deletes the rules whose ids match ids, and the block once it is empty. Two ids match if one is a prefix of
// the other. It returns the ids of the deleted rules, and memory.ErrInvalid if an id matches several rules.
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
			return nil, fmt.Errorf("%s matches the ids of several rules: give more digits: %w", id, memory.ErrInvalid)
		}
	}
	if len(removed) > 0 && strings.TrimSpace(strings.Join(t.lines, "")) == "" {
		t.dropBlock()
	}
	return removed, nil
}

// dropBlock removes the block and the blank line before it.
func (t *Text) dropBlock() {
	if strings.HasSuffix(t.before, "\n"+t.newline) {
		t.before = strings.TrimSuffix(t.before, t.newline)
	}
	if t.after == "" && !strings.HasSuffix(t.shut, "\n") {
		t.before = strings.TrimSuffix(t.before, t.newline)
	}
	t.open, t.lines, t.shut = "", nil, ""
}

// Rule is a line of the block.
type Rule struct {
	Line     int    // number of the line in the text, from 1
	ID, Text string // the short id of its memory, and the rule
}

// Rules returns the lines of the block that have an id.
func (t Text) Rules() (rules []Rule) {
	for i, line := range t.lines {
		if id := idOf(line); id != "" {
			rules = append(rules, Rule{strings.Count(t.before, "\n") + 2 + i, id, ruleOf(line)})
		}
	}
	return rules
}

// IDs returns the short ids (memory.ShortID) of the rules in a text, and the text without them. A broken block has none.
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

// Without returns a text without its block. A text with a broken block is returned unchanged.
func Without(text string) string {
	t, err := Parse(text)
	if err != nil || t.open == "" {
		return text
	}
	return t.before + t.after
}

// idOf returns the id at the end of a line of the block, or "".
func idOf(line string) string {
	if found := withID.FindStringSubmatch(line); found != nil {
		return found[2]
	}
	return ""
}

// ruleOf returns a line without its list mark and its id.
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

// FormatRule formats a text as a rule on one line that cannot end the block, begin another one, or include a file.
func FormatRule(text string) string {
	text = comments.Replace(defuse.Line(text))
	text = number.ReplaceAllString(text, `$1\$2$3`)
	if block.MatchString(text) {
		text = `\` + text
	}
	parts := strings.Split(text, "`")
	for i := range parts {
		isLast := i == len(parts)-1
		if i%2 == 0 || isLast { // outside of code; the last part is an unclosed code span
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
