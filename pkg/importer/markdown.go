package importer

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// entries splits a Markdown text into single thoughts: a bullet with everything nested in it, or
// a paragraph with the code block that follows it. Each begins with its heading and the line that
// introduces its list, because "use any" under "Never" means the opposite without them. The title
// of the document is left out.
func entries(text string) []string {
	s := splitter{}
	for line := range strings.Lines(text) {
		s.line(strings.TrimRight(line, " \t\r\n"))
	}
	s.end()
	return s.found
}

// maxIntroduction is the longest line that is repeated for every bullet of the
// list it introduces, in bytes.
const maxIntroduction = 160

type splitter struct {
	found        []string
	heading      string
	introduction string // of the list that goes on
	entry        []string
	fence        string // that ends the code block which goes on
	inBullet     bool
	inTable      bool // behind the line that parts a table from its header
	header       bool // the last entry may be a table's header
	inComment    bool
	afterBlank   bool
}

func (s *splitter) line(line string) {
	text := strings.TrimSpace(line)
	switch {
	case s.fence != "":
		if strings.HasPrefix(text, s.fence) {
			s.fence = ""
			return
		}
		s.entry = append(s.entry, text)
		return
	case s.inComment:
		s.inComment = !strings.Contains(text, "-->")
		return
	case strings.HasPrefix(text, "<!--"):
		s.inComment = !strings.Contains(text, "-->")
		return
	case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
		s.fence = text[:3]
		return
	case text == "":
		s.afterBlank = true
		if s.inBullet || s.endsWithColon() { // a nested paragraph or the block that is announced may follow
			return
		}
		s.end()
		return
	}
	s.textLine(line, text)
	s.afterBlank = false
}

func (s *splitter) textLine(line, text string) {
	isIndented := line != strings.TrimLeft(line, " \t")
	item, isItem := bullet(text)
	isRow := strings.HasPrefix(text, "|")
	if s.inTable = s.inTable && isRow; !isRow {
		s.header = false
	}
	switch {
	case isRow:
		s.row(text)
	case strings.HasPrefix(text, "#"):
		s.end()
		s.introduction = ""
		s.heading = heading(text, s.heading)
	case isRule(text):
		s.end()
		s.introduction = ""
	case isItem && isIndented && s.inBullet:
		s.entry = append(s.entry, item)
	case isItem:
		s.item(item)
	case s.inBullet && s.afterBlank && !isIndented:
		s.end()
		s.introduction = ""
		s.entry = []string{text}
	default:
		if len(s.entry) == 0 {
			s.introduction = ""
		}
		s.entry = append(s.entry, text)
	}
}

// item begins the entry of a bullet. The line before the first one may introduce them.
func (s *splitter) item(text string) {
	if !s.inBullet && s.endsWithColon() && len(s.entry) == 1 && len(s.entry[0]) <= maxIntroduction {
		s.introduction, s.entry = s.entry[0], nil
	}
	s.end()
	s.entry, s.inBullet = []string{text}, true
}

// row is a line of a table; its header only names the columns.
func (s *splitter) row(text string) {
	s.end()
	if strings.Trim(text, "|-: ") == "" {
		if s.header && len(s.found) > 0 {
			s.found = s.found[:len(s.found)-1]
		}
		s.inTable, s.header = true, false
		return
	}
	var cells []string
	for cell := range strings.SplitSeq(strings.Trim(text, "|"), "|") {
		if cell = strings.TrimSpace(cell); cell != "" {
			cells = append(cells, cell)
		}
	}
	before := len(s.found)
	s.entry = []string{strings.Join(cells, "; ")}
	s.end()
	s.header = !s.inTable && len(s.found) > before
}

func (s *splitter) endsWithColon() bool {
	return len(s.entry) > 0 && strings.HasSuffix(s.entry[len(s.entry)-1], ":")
}

// end completes the entry that goes on.
func (s *splitter) end() {
	text := memory.OneLine(strings.Join(s.entry, " "))
	s.entry, s.inBullet = nil, false
	if strings.Trim(text, "-|*_: ") == "" || isReference(text) {
		return
	}
	if s.introduction != "" {
		text = strings.TrimSuffix(s.introduction, ":") + ": " + text
	}
	if s.heading != "" {
		text = s.heading + ": " + text
	}
	s.found = append(s.found, text)
}

// bullet is the text of a list's item.
func bullet(text string) (item string, ok bool) {
	for _, mark := range []string{"- ", "* ", "+ "} {
		if item, ok := strings.CutPrefix(text, mark); ok {
			item = strings.TrimSpace(item)
			for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
				item = strings.TrimPrefix(item, box)
			}
			return item, true
		}
	}
	number, item, ok := strings.Cut(text, " ")
	digits := strings.TrimRight(number, ".)")
	if ok && len(digits) == len(number)-1 && len(digits) <= 3 && digits != "" && strings.Trim(digits, "0123456789") == "" {
		return strings.TrimSpace(item), true
	}
	return "", false
}

// heading is the heading that holds from this line on. The first one of the
// first level is the document's title.
func heading(line, before string) string {
	text := strings.TrimLeft(line, "#")
	level := len(line) - len(text)
	if text != "" && text[0] != ' ' && text[0] != '\t' { // #hashtag
		return before
	}
	if level == 1 {
		return ""
	}
	return strings.TrimRight(strings.TrimSpace(strings.TrimRight(strings.TrimSpace(text), "#")), ":")
}

func isRule(text string) bool {
	return len(text) >= 3 && (strings.Trim(text, "- ") == "" || strings.Trim(text, "* ") == "" || strings.Trim(text, "= ") == "")
}

// isReference reports whether a line only names another file to be read: @docs/style.md.
func isReference(text string) bool {
	return strings.HasPrefix(text, "@") && !strings.Contains(text, " ")
}
