package knowledge

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// typedLines returns the lines of a prompt that the user typed. Clients mark a long paste (see speaker.Typed). Of other pastes typedLines drops what has the
// form of one: fenced code, quotations, tables, lines indented like code, the content of elements, and paragraphs with a line that a program printed. What
// belongs to a request or an item below it, and what limits a statement (see request), is joined to its line. A plan that the user accepted is the assistant's.
func typedLines(prompt string) (typed []string) {
	prompt, isTyped := Typed(prompt)
	if !isTyped || AcceptedPlan(prompt) != "" {
		return nil
	}
	prompt = fenceBehind.ReplaceAllString(placeholders.ReplaceAllString(invisible(prompt), ""), "$1\n$2")
	var paragraph, block []string
	var asks request
	above, fence, ends, isPrinted := "", "", "", false // above: the line before, if it belongs to the paragraph; ends: see opened
	end := func() {
		if !isPrinted {
			typed = append(typed, paragraph...)
		}
		paragraph, isPrinted, asks.isOpen = nil, false, false
	}
	at := 0
	for line := range strings.Lines(prompt) {
		text, before := strings.TrimSpace(line), above
		above = ""
		at += len(line)
		switch {
		case fence != "":
			if !strings.HasPrefix(text, fence) {
				block = append(block, text)
				continue
			}
			if asks.isOpen && asks.takes(paragraph[len(paragraph)-1], block) {
				paragraph[len(paragraph)-1] = withPart(paragraph[len(paragraph)-1], strings.Join(block, "; "), " ")
			}
			end()
			fence, block = "", nil
		case fences.MatchString(text):
			if fence = text[:3]; strings.Contains(text[3:], fence) {
				fence = ""
				end()
			}
		case ends != "":
			if strings.Contains(text, ends) {
				ends = ""
			}
		case opened(text, prompt) != "":
			end()
			if ends = opened(text, prompt); strings.Contains(text, ends) {
				ends = ""
			}
		case text == "":
			end()
			asks.isAbove = asks.isAbove && asks.isBare
			typed = append(typed, line)
		case asks.has(line):
			item, isItem := withoutBullet(text)
			between := " "
			if isItem {
				between = "; "
			}
			paragraph[len(paragraph)-1] = withPart(paragraph[len(paragraph)-1], item, between)
		case strings.HasPrefix(text, ">") && len(typed)+len(paragraph) > 0, strings.HasPrefix(text, "|"), strings.HasPrefix(text, "│"), strings.HasPrefix(text, "⎿"),
			(strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")) && !asks.hasItem(text) && !asks.limited(paragraph, line, prompt[at:]):
		case machineLine.MatchString(text):
			isPrinted = true
		default:
			if above = text; len(paragraph) > 0 && (isWrapped(before, line) || asks.limited(paragraph, line, prompt[at:])) {
				item, _ := withoutBullet(text)
				paragraph[len(paragraph)-1] = withPart(paragraph[len(paragraph)-1], item, " ")
				asks.isWhole = endsInColon(item)
			} else {
				paragraph = append(paragraph, line)
				asks.next(line)
			}
			last := len(paragraph) - 1
			parts := apart(paragraph[last])
			for _, part := range parts[1:] {
				asks.next(part)
			}
			paragraph = append(paragraph[:last], parts...)
		}
	}
	end()
	return typed
}

// apart splits a line before each request behind another sentence. Words in quotation marks, in a code span, and in a text that the user hands over
// are no requests. Behind a request only one to remember is another one: "Remember: the port is 1. Note: not in CI" is one.
func apart(line string) (parts []string) {
	_, isAsked := directiveOf(line, false)
	if handed.MatchString(strings.TrimSpace(line)) {
		return []string{line}
	}
	quotes := quotation.FindAllStringIndex(line, -1)
	from, at, ticks, clauses := 0, 0, 0, strings.ReplaceAll(line, "; ", ". ")
	for _, one := range language.Sentences(clauses) {
		skipped := strings.Index(clauses[at:], one)
		ticks += strings.Count(line[at:at+skipped], "`")
		at += skipped
		d, asks := directiveOf(line[at:at+len(one)]+" item", true) // also above a list
		isQuoted := ticks%2 == 1 || slices.ContainsFunc(quotes, func(q []int) bool { return q[0] <= at && at < q[1] })
		if at > 0 && asks && (!isAsked || d.isToRemember) && line[at] != '`' && !isQuoted {
			parts = append(parts, strings.TrimRight(line[from:at], " ;")+"\n")
			from, isAsked = at, true
		}
		ticks += strings.Count(one, "`")
		at += len(one)
	}
	return append(parts, line[from:])
}

// request is what typedLines knows of the request, or the item of a list below it, that it has just read.
type request struct {
	isAbove      bool // a request stands above, in the same list
	isBare       bool // the request has no text of its own
	isOpen       bool // the last line of the paragraph is the request or an item
	isItem       bool // the last line is an item
	isToRemember bool // the request has a word such as "remember"
	isWhole      bool // the last line of the request ends with a colon, and the items below belong to it
	indent       int  // indentation of the last line
}

// next reads a line that belongs to no line before it.
func (r *request) next(line string) {
	text := strings.TrimSpace(line)
	_, r.isItem = withoutBullet(text)
	d, _ := directiveOf(line, false)
	waits := r.isOpen && r.isBare && !r.isItem // "Remember:" stands alone above
	if list, isBare := listBelow(text, d); list.Kind != "" {
		r.isAbove, r.isBare, r.isToRemember = true, isBare || d.Kind == "", list.isToRemember
	} else {
		r.isAbove = r.isAbove && r.isItem
		r.isBare = r.isBare && r.isItem
	}
	r.isOpen, r.indent, r.isWhole = r.isAbove || waits, indentOf(line), false
}

// has reports whether a line goes on with the open request or item: it is indented more and asks for nothing, or is an item below an item.
func (r *request) has(line string) bool {
	_, isItem := withoutBullet(strings.TrimSpace(line))
	_, asks := directiveOf(line, false)
	return r.isOpen && (isItem && r.isWhole || indentOf(line) > r.indent && (isItem && r.isItem || !isItem && !asks))
}

// longestRest is the size in bytes of the rest of a paragraph that belongs to the request above it.
const longestRest = 200

// limited reports whether a line belongs to the request or lasting statement above it. A line does if it limits the text above, takes the text back, or is
// indented below the item. A line also does if the request is to remember something, and the line is in the rest of the request's short paragraph and says nothing
// lasting: it may say the opposite ("I meant 7001"). A question or another request never belongs to the text above. rest is the text below the line.
func (r *request) limited(paragraph []string, line, rest string) bool {
	text, isItem := withoutBullet(strings.TrimSpace(line))
	if len(paragraph) == 0 || text == "" || !isSaid(language.Sentences(text)[0]) || len(apart(line)) > 1 {
		return false
	}
	above := paragraph[len(paragraph)-1]
	_, isBelow := withoutBullet(strings.TrimSpace(above))
	rest, _, _ = strings.Cut(strings.ReplaceAll(line+rest[:min(len(rest), longestRest)], "\r", ""), "\n\n")
	says, _ := lasting(text)
	goesOn := !says && r.isOpen && r.isToRemember && !r.isBare && !r.isItem && !isItem && len(rest) <= longestRest && !language.IsContinuation(text)
	isPart := isBelow && !isItem && indentOf(line) > indentOf(above) || limiting.MatchString(text)
	hasWord, _ := lasting(above)
	_, asks := directiveOf(line, false)
	return (goesOn || isPart && (r.isOpen || hasWord)) && !asks
}

func (r *request) hasItem(text string) bool {
	_, isItem := withoutBullet(text)
	return r.isAbove && isItem
}

// longestBlock is the size in bytes of a block of code that belongs to the request above it. A longer block only shows something, such as an error.
const longestBlock = 200

// takes reports whether the open request goes on with a block of code: the request's sentence has not ended, and no program printed the block.
func (r *request) takes(line string, block []string) bool {
	return !strings.ContainsAny(line[len(strings.TrimRight(line, ".!?。\n ")):], ".!?。") && len(strings.Join(block, "")) <= longestBlock && !slices.ContainsFunc(block, machineLine.MatchString)
}

func indentOf(line string) int {
	line = strings.ReplaceAll(line, "\t", "    ")
	return len(line) - len(strings.TrimLeft(line, " "))
}

// leastWrapped is the minimum length in bytes of a line that was wrapped. Editors wrap at 72 columns or more, at the end of a word.
const leastWrapped = 60

// isWrapped reports whether a line goes on with the sentence of the line above it: the line above ends with a comma, or is long and
// ends with no mark, and the line begins with a small letter. Half a sentence may say the opposite.
func isWrapped(above, line string) bool {
	first, _ := utf8.DecodeRuneInString(line)
	_, asks := directiveOf(line, false)
	return unicode.IsLower(first) && !asks && (strings.HasSuffix(above, ",") || len(above) >= leastWrapped && !strings.ContainsAny(above[len(above)-1:], ".!?:;"))
}

// withPart appends a text to the line that it belongs to: after between, or after a space if the line ends with a mark.
func withPart(line, text, between string) string {
	line = strings.TrimRight(line, " \n\r")
	if strings.ContainsAny(line[len(line)-1:], ":;,.!?") {
		between = " "
	}
	return line + between + text + "\n"
}

// opened returns the mark that ends the element or comment that a line opens. At the beginning of the line any element counts. Inside the line only
// the elements that clients and tools write count, and only if the text closes the element: otherwise somebody mentions the name.
func opened(line, text string) string {
	if found := elementLine.FindStringSubmatch(line); found != nil {
		return "</" + found[1]
	}
	if found := comment.FindStringSubmatch(line); found != nil && strings.Contains(text, commentEnds[found[1]]) {
		return commentEnds[found[1]]
	}
	for _, found := range elementWithin.FindAllStringSubmatch(line, -1) {
		if speaker.IsClientElement(found[1]) && strings.Contains(text, "</"+found[1]) {
			return "</" + found[1]
		}
	}
	return ""
}

var (
	fences        = regexp.MustCompile("^(?:```|~~~|\"\"\"|''')")
	fenceBehind   = regexp.MustCompile("(?m)^(.*\\S.*?)((?:```|~~~|\"\"\"|''')[\\w+-]*[ \\t\\r]*)$") // of a short paste, on the line on which the user typed
	elementLine   = regexp.MustCompile(`^<([A-Za-z][\w:-]*)(?:\s[^>]*)?>`)
	elementWithin = regexp.MustCompile(`<([A-Za-z][\w:-]*)>`)
	comment       = regexp.MustCompile(`^(/\*|<!--)\*?(?:\s|$)`)
	commentEnds   = map[string]string{"/*": "*/", "<!--": "-->"}
)

// placeholders matches what a client puts before a prompt for attachments: files, pictures, pasted text.
var placeholders = regexp.MustCompile(`^(?:\s*(?:@"[^"\n]+"|@[^\s@]+[./][^\s@]*|\[(?:Image|Pasted text|File|Audio|Attachment)\b[^\]\n]*\]))+\s+`)

// invisible removes invisible characters, such as direction marks, but not joiners inside a word, as in Persian and Hindi.
func invisible(text string) string {
	const joiners = "\u200c\u200d"
	before := ' '
	return strings.Map(func(r rune) rune {
		isJoiner := strings.ContainsRune(joiners, r) && unicode.IsLetter(before) || strings.ContainsRune(joiners, r) && unicode.IsMark(before)
		if unicode.Is(unicode.Cf, r) && !isJoiner && !unicode.Is(unicode.So, before) {
			return -1
		}
		before = r
		return r
	}, text)
}
