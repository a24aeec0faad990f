package importer

import (
	"regexp"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// entries splits a Markdown text into thoughts: a bullet with everything nested in it, or a paragraph with the following code block. Each begins with its
// headings and the line that introduces its list, because "use any" under "Never" means the opposite without them. It omits comments, link targets, images, and
// the title of the document, which is the only heading of the first level.
func entries(text string) []string {
	text = newlines.Replace(text)
	s := read(text, true)
	if s.titles > 1 {
		s = read(text, false)
	}
	return s.found
}

// newlines replaces all forms of newlines by \n.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func read(text string, isTitled bool) *splitter {
	s := splitter{isTitled: isTitled}
	for line := range strings.Lines(text) {
		s.line(strings.TrimRight(line, " \t\n"))
	}
	s.end()
	return &s
}

// maxIntroduction is the maximum number of bytes of an introducing line that is repeated for every bullet of its list.
const maxIntroduction = 160

type splitter struct {
	found        []string
	isTitled     bool      // a heading of the first level is the document's title
	titles       int       // number of headings of the first level
	headings     [6]string // current headings by level, from 1
	introduction string    // introduction of the current list
	entry        []string
	fence        string // end of the current code block
	inBullet     bool
	indent       int  // indent of the bullet
	inTable      bool // after the line between a table's header and its rows
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
		if s.inBullet || s.introduces() { // a nested paragraph or the introduced block may follow
			return
		}
		s.end()
		return
	}
	s.textLine(line, text)
	s.afterBlank = false
}

func (s *splitter) textLine(line, text string) {
	indent := len(strings.ReplaceAll(line, "\t", "    ")) - len(strings.ReplaceAll(strings.TrimLeft(line, " \t"), "\t", "    "))
	item, isItem := bullet(text)
	isRow := strings.HasPrefix(text, "|")
	title, level := headingIn(text)
	if s.inTable = s.inTable && isRow; !isRow {
		s.header = false
	}
	switch {
	case isRow:
		s.row(text)
	case level > 0:
		s.end()
		s.begin(title, level)
	case s.isUnderlined(line, text):
		title, s.entry = strings.Join(s.entry, " "), nil
		s.begin(title, 1+strings.Count(text[:1], "-"))
	case reference.MatchString(text):
	case isRule(text):
		s.end()
		s.introduction = ""
	case isItem && s.inBullet && indent > s.indent:
		s.entry = append(s.entry, item)
	case isItem:
		s.item(item)
		s.indent = indent
	case s.inBullet && s.afterBlank && indent <= s.indent:
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

// begin begins the section of a heading, and ends the sections of the same level and below.
func (s *splitter) begin(title string, level int) {
	s.introduction = ""
	if level == 1 {
		if s.titles++; s.isTitled {
			title = ""
		}
	}
	clear(s.headings[level-1:])
	s.headings[level-1] = plain(title)
}

// isUnderlined reports whether a line makes the text above it a heading. Below a sentence the line is a horizontal rule.
func (s *splitter) isUnderlined(line, text string) bool {
	if len(s.entry) == 0 || s.inBullet || s.afterBlank || strings.HasPrefix(line, "    ") || strings.Trim(text, "=") != "" && strings.Trim(text, "-") != "" {
		return false
	}
	above := strings.Join(s.entry, " ")
	return len(above) <= maxIntroduction && !strings.ContainsAny(above[len(above)-1:], ".!?")
}

// item begins the entry of a bullet. The line before the first bullet may introduce the list.
func (s *splitter) item(text string) {
	if !s.inBullet && s.introduces() && len(s.entry) == 1 && len(s.entry[0]) <= maxIntroduction {
		s.introduction, s.entry = plain(s.entry[0]), nil
	}
	s.end()
	s.entry, s.inBullet = []string{text}, true
}

// row adds the entry of a table's row. The header is not an entry, because it only names the columns.
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

// introduces reports whether the last line introduces what follows: it ends with a colon, or is all bold.
func (s *splitter) introduces() bool {
	if len(s.entry) == 0 {
		return false
	}
	last := s.entry[len(s.entry)-1]
	bare := plain(last)
	isBold := bare != "" && (last == "**"+bare+"**" || last == "__"+bare+"__")
	return isBold || strings.ContainsAny(strings.TrimPrefix(strings.TrimLeft(last, "*_"), bare), ":：")
}

// plain returns a line without emphasis around it and without a colon at its end.
func plain(text string) string { return strings.TrimLeft(strings.TrimRight(text, "*_:： "), "*_ ") }

// end completes the current entry.
func (s *splitter) end() {
	text := memory.OneLine(strings.Join(s.entry, " "))
	s.entry, s.inBullet = nil, false
	if strings.Trim(pictures.ReplaceAllString(text, ""), "-|*_:[]() ") == "" || isReference(text) {
		return
	}
	if s.introduction != "" {
		text = s.introduction + ": " + text
	}
	for level := len(s.headings) - 1; level >= 0; level-- {
		if s.headings[level] != "" {
			text = s.headings[level] + ": " + text
		}
	}
	s.found = append(s.found, text)
}

// bullet returns the text of a list item. ok is false if text is not a list item.
func bullet(text string) (item string, ok bool) {
	for _, mark := range []string{"- ", "* ", "+ ", "-\t", "*\t", "+\t", "• "} {
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

// headingIn returns the text and the level of a heading in Markdown or HTML. The level is 0 if the line is not a heading.
func headingIn(line string) (title string, level int) {
	if found := element.FindStringSubmatch(line); found != nil {
		return found[2], strings.Index("h123456", found[1][len(found[1])-1:])
	}
	title = strings.TrimLeft(line, "#")
	level = len(line) - len(title)
	if level > 6 || title != "" && title[0] != ' ' && title[0] != '\t' { // #hashtag
		return "", 0
	}
	return strings.TrimRight(strings.TrimSpace(title), "#"), level
}

var (
	// element matches an HTML heading.
	element = regexp.MustCompile(`(?i)^<(h[1-6])(?:\s[^>]*)?>(.*)</h[1-6]>$`)
	// reference matches a line that defines the target of named links.
	reference = regexp.MustCompile(`^\[[^]^][^]]*\]:\s*(?:<[^>]*>|\S*[/.#:@]\S*)(?:\s+(?:"[^"]*"|'[^']*'|\([^)]*\)))?$`)
	// pictures matches images with the links around them, and HTML tags.
	pictures = regexp.MustCompile(`!\[[^]]*\](?:\([^)]*\)|\[[^]]*\])?(?:\]\([^)]*\))?|</?[a-zA-Z][^>]*>`)
)

func isRule(text string) bool {
	return len(text) >= 3 && (strings.Trim(text, "- ") == "" || strings.Trim(text, "* ") == "" || strings.Trim(text, "= ") == "")
}

// isReference reports whether a line only names another file to read, such as @docs/style.md.
func isReference(text string) bool {
	return strings.HasPrefix(text, "@") && !strings.Contains(text, " ")
}
