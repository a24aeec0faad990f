package knowledge

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// sentence is a part of a text that is understandable alone.
type sentence struct {
	Text   string // verbatim, trimmed
	Line   int    // index of its line, from 0
	Bullet bool   // whether it opens a list item
	// Heading, in a list's item, is the last sentence above the list if that ends with a colon. It may deny or limit the item.
	Heading string
}

// tokens splits a sentence into lower-case words without apostrophes. The marks , : ? ! and ( are words, too.
func tokens(sentence string) []string { return language.Sentence.List(sentence) }

// sentences splits a text into sentences. It drops headings, code, tables, program output and quotations. document
// means that the text is Markdown, where an indented line is nested and not code. Of a text that has one line that looks like
// output, somebody typed this line, too ("[api] always sign"), unless programs often print it beside other lines ("error: x").
func sentences(text string, document bool) []sentence {
	var found []sentence
	lines, printed, isLabelled := 0, 0, document
	for line := range strings.Lines(text) {
		if bare := strings.TrimSpace(line); bare != "" {
			lines++
			if looksPrinted(bare) || looksCoded(bare) {
				printed++
				isLabelled = isLabelled || isOutput(bare)
			}
		}
	}
	mayPrint := printed > 1 || isLabelled && (lines > 1 || document)
	fenced, number, heading := false, -1, ""
	for line := range strings.Lines(text) {
		number++
		bare := strings.TrimSpace(line)
		if strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced || !isProse(line, bare, document) || mayPrint && looksPrinted(bare) {
			continue
		}
		item, bullet := withoutBullet(bare)
		isItem := bullet
		for _, text := range language.Sentences(item) {
			one := sentence{Text: text, Line: number, Bullet: bullet}
			if isItem {
				one.Heading = heading
			}
			found = append(found, one)
			bullet = false
		}
		if last := len(found) - 1; !isItem && last >= 0 {
			if heading = ""; endsInColon(found[last].Text) {
				heading = found[last].Text
			}
		}
	}
	return found
}

// endsInColon reports whether a sentence announces what follows. A colon inside quotation marks or brackets does not.
func endsInColon(text string) bool {
	text = strings.TrimRight(text, "* ")
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

// isProse reports whether a line, judged alone, consists of sentences.
func isProse(line, bare string, document bool) bool {
	return bare != "" && bare[0] != '>' && bare[0] != '|' && !strings.HasPrefix(bare, "---") && !isTitle(bare) && !(document && isLabelled(bare)) &&
		(document || !strings.HasPrefix(line, "  ")) && !looksCoded(bare)
}

// isTitle reports whether a line is a Markdown heading.
func isTitle(bare string) bool {
	return strings.HasPrefix(bare, "#") && strings.HasPrefix(strings.TrimLeft(bare, "#"), " ")
}

// isLabelled reports whether a line is a bold label.
func isLabelled(bare string) bool {
	text, bold := strings.CutPrefix(bare, "**")
	_, rest, closed := strings.Cut(text, "**")
	return bold && closed && strings.Trim(rest, ": ") == ""
}

// looksPrinted reports whether a line looks like program output: terminal marks, times, stack frames, log levels.
func looksPrinted(bare string) bool {
	r, _ := utf8.DecodeRuneInString(bare)
	if strings.ContainsRune("⏺❯⎿✓✗✘│├└┌╭╰─═⨯✔⚠$%⧉●+@{}<;=", r) && r != utf8.RuneError {
		return true
	}
	first, _, _ := strings.Cut(bare, " ")
	isDate := unicode.IsDigit(r) && (strings.Count(first, ":") >= 2 || len(first) >= 10 && strings.Count(first, "-") >= 2)
	return isOutput(bare) || isDate || isRemoved(bare) || strings.HasPrefix(first, "[") && strings.Contains(first, "]")
}

// isOutput reports whether a line begins with a label or position and goes on, or in a form that only programs write.
func isOutput(bare string) bool {
	end := strings.IndexAny(bare, " \t")
	return end >= 0 && (isLabel(bare[:end]) || isPosition(bare[:end])) || printedOpening.MatchString(bare) || machineLine.MatchString(bare)
}

// machineLine matches lines written by programs: times, log levels, shell prompts, stack traces, diffs and objects.
var machineLine = regexp.MustCompile(`^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\^?[0-9a-f]{7,40} \(.*\d{4}-\d\d-\d\d |\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\b|[$%] \S|# [a-z./~]|L\d{2,}: |\d{2,}:[^\s\d]|at \S+\(|File "|Traceback|goroutine \d|(?:---|\+\+\+|@@) |diff --git |npm ERR!|\d+(?: *(?:→|\t|\| )|  )|[{}\[\]],?$|"[\w-]+": |(?:System|Tool)\s*:|Exit code \d|HTTP/\d)`)

// isRemoved reports whether a line looks like a removed line of a diff or a flag.
func isRemoved(bare string) bool {
	rest, cut := strings.CutPrefix(bare, "-")
	return cut && rest != "" && rest[0] != ' ' && rest[0] != '>'
}

// isLabel reports whether programs begin a line with this word.
func isLabel(first string) bool {
	opener := strings.TrimRight(first, ":")
	return printedOpeners[opener] || opener != first && (labels[opener] || strings.HasSuffix(opener, "Error"))
}

// isPosition reports whether a word is a position such as file.go:12:3, as in compiler messages.
func isPosition(first string) bool {
	name, after, _ := strings.Cut(first, ":")
	return strings.Contains(name, ".") && after != "" && unicode.IsDigit(rune(after[0]))
}

var (
	// printedOpeners are words with which only programs begin a line.
	printedOpeners = language.Set(`--- === FAIL FAILED PASS PASSED RUN ERROR WARN WARNING INFO DEBUG FATAL Traceback goroutine SELECT INSERT UPDATE DELETE git@github.com`)
	// labels are words with which people begin sentences too, but not before a colon.
	labels = language.Set(`Error error warning fatal panic Exception Usage Flags Aliases remote Author Date Run Caused curl`)
	// printedOpening matches output that begins like a sentence: "ok  \tstore 0.2s" is a test result, "ok we never log bodies" is not.
	printedOpening = regexp.MustCompile(`^(ok(\s{2,}|\t)|ok \S+/\S+\s|commit [0-9a-f]{7,}|index [0-9a-f]{6,}|diff -|npm (ERR|WARN|error|warn|notice)\b|curl (-|https?:|"|')|[Ee]xit (code|status) \d|Exception in |Caused by)`)
)

// trailing matches the comment behind a line of code.
var trailing = regexp.MustCompile(`\s+(?://|/\*).*$`)

// looksCoded reports whether a line looks like code, by its punctuation and its few letters.
func looksCoded(bare string) bool {
	code := trailing.ReplaceAllString(bare, "")
	if last := code[len(code)-1]; last == '{' || last == ';' || last == '}' || last == '\\' {
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

// withoutBullet removes the mark of a list item and reports whether there was one.
func withoutBullet(bare string) (string, bool) {
	for _, mark := range []string{"- ", "* ", "• ", "-> "} {
		if rest, found := strings.CutPrefix(bare, mark); found {
			return strings.TrimSpace(rest), true
		}
	}
	rest := strings.TrimLeft(bare, "0123456789")
	if digits := len(bare) - len(rest); digits >= 1 && digits <= 3 && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")) {
		return strings.TrimSpace(rest[1:]), true
	}
	return bare, false
}
