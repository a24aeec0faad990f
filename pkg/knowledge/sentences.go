package knowledge

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
)

// sentence is a part of a text that is understandable alone.
type sentence struct {
	Text    string // verbatim, trimmed
	Line    int    // number of the line it stands in, from 0
	Bullet  bool   // whether it opens an item of a list
	First   bool   // whether it is the first under its heading
	Heading string // the heading or the bold label above it
}

// form is the kind of a line.
type form int

const (
	prose form = iota
	blank
	heading
	code   // inside a fence, or looks like it
	output // printed by a program or copied from a terminal
	quoted // quoted by its writer
	tabular
)

// sentences splits a text into sentences. It drops code, tables, program output and quotations.
// document is set if the text is Markdown, where an indented line is nested and not code.
func sentences(text string, document bool) []sentence {
	var found []sentence
	var label string
	fenced, first, number := false, false, -1
	for line := range strings.Lines(text) {
		number++
		bare := strings.TrimSpace(line)
		if strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced {
			continue
		}
		switch formOf(line, bare, document) {
		case heading:
			label, first = strings.Trim(bare, "#*: "), true
		case prose:
			item, bullet := withoutBullet(bare)
			for _, text := range language.Sentences(item) {
				found = append(found, sentence{text, number, bullet, first, label})
				bullet, first = false, false
			}
		default:
		}
	}
	return found
}

// isHeading reports whether a line is a heading of Markdown, or a bold label.
func isHeading(line string) bool { return formOf(line, strings.TrimSpace(line), true) == heading }

// formOf is the form of a line, judged from the line alone.
func formOf(line, bare string, document bool) form {
	switch {
	case bare == "":
		return blank
	case strings.HasPrefix(bare, "#") && strings.HasPrefix(strings.TrimLeft(bare, "#"), " "):
		return heading
	case strings.HasPrefix(bare, ">"):
		return quoted
	case strings.HasPrefix(bare, "|") || strings.HasPrefix(bare, "---"):
		return tabular
	}
	if text, bold := strings.CutPrefix(bare, "**"); bold && document {
		if _, rest, closed := strings.Cut(text, "**"); closed && strings.Trim(rest, ": ") == "" {
			return heading
		}
	}
	if !document && strings.HasPrefix(line, "  ") || looksPrinted(bare) {
		return output
	}
	if looksCoded(bare) {
		return code
	}
	return prose
}

// looksPrinted recognises program output: marks of terminals, times, stack frames, log levels.
func looksPrinted(bare string) bool {
	r, _ := utf8.DecodeRuneInString(bare)
	if strings.ContainsRune("⏺❯⎿✓✗✘•│├└┌╭╰─═⨯✔⚠$%⧉●+@{}<;=", r) && r != utf8.RuneError {
		return true
	}
	first, rest := bare, ""
	if end := strings.IndexAny(bare, " \t"); end >= 0 {
		first, rest = bare[:end], bare[end+1:]
	}
	if rest != "" && (isLabel(first) || isPosition(first)) || printedOpening.MatchString(bare) {
		return true
	}
	if unicode.IsDigit(r) && (strings.Count(first, ":") >= 2 || len(first) >= 10 && strings.Count(first, "-") >= 2) {
		return true // a time or a date
	}
	return isRemoved(bare) || strings.HasPrefix(first, "[") && strings.Contains(first, "]")
}

// isRemoved recognises a removed line of a diff, and a flag.
func isRemoved(bare string) bool {
	rest, cut := strings.CutPrefix(bare, "-")
	return cut && rest != "" && rest[0] != ' ' && rest[0] != '>'
}

// isLabel recognises a word that programs begin a line with.
func isLabel(first string) bool {
	opener := strings.TrimRight(first, ":")
	return printedOpeners[opener] || opener != first && (labels[opener] || strings.HasSuffix(opener, "Error"))
}

// isPosition recognises file.go:12:3, as in messages of compilers.
func isPosition(first string) bool {
	name, after, _ := strings.Cut(first, ":")
	return strings.Contains(name, ".") && after != "" && unicode.IsDigit(rune(after[0]))
}

var (
	// printedOpeners are words that only programs begin a line with.
	printedOpeners = language.Set(`--- === FAIL FAILED PASS PASSED RUN ERROR WARN WARNING INFO DEBUG FATAL Traceback goroutine SELECT INSERT UPDATE DELETE git@github.com`)
	// labels are words that people begin sentences with, too, but not before a colon.
	labels = language.Set(`Error error warning fatal panic Exception Usage Flags Aliases remote Author Date Run Caused curl`)
	// printedOpening separates the output of programs from sentences that begin with the same word:
	// "ok  \tstore 0.2s" is a test's result, "ok we never log bodies" is none.
	printedOpening = regexp.MustCompile(`^(ok(\s{2,}|\t)|ok \S+/\S+\s|commit [0-9a-f]{7,}|index [0-9a-f]{6,}|diff -|npm (ERR|WARN|error|warn|notice)\b|curl (-|https?:|"|')|[Ee]xit (code|status) \d|Exception in |Caused by)`)
)

// looksCoded separates code from prose by its punctuation and by how few words it has.
func looksCoded(bare string) bool {
	if last := bare[len(bare)-1]; last == '{' || last == ';' || last == '}' || last == '\\' {
		return true
	}
	if strings.HasPrefix(bare, "//") || strings.HasPrefix(bare, "/*") || strings.HasPrefix(bare, `"`) &&
		strings.Contains(bare, `": `) {
		return true
	}
	letters, marks := 0, 0
	for _, r := range bare {
		switch {
		case unicode.IsLetter(r) || r == ' ':
			letters++
		case strings.ContainsRune("{}[]();=<>|&$+*\\\"_", r):
			marks++
		}
	}
	return marks*4 > letters && marks >= 4
}

// withoutBullet cuts the mark of a list item.
func withoutBullet(bare string) (string, bool) {
	for _, mark := range []string{"- ", "* ", "• ", "-> "} {
		if rest, found := strings.CutPrefix(bare, mark); found {
			return strings.TrimSpace(rest), true
		}
	}
	digits := 0
	for digits < len(bare) && digits < 3 && bare[digits] >= '0' && bare[digits] <= '9' {
		digits++
	}
	if digits > 0 && len(bare) > digits+1 && (bare[digits] == '.' || bare[digits] == ')') && bare[digits+1] == ' ' {
		return strings.TrimSpace(bare[digits+1:]), true
	}
	return bare, false
}
