package knowledge

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// typedLines returns the lines of a prompt that the user probably typed, judged by form alone, because it must not miss a directive. Statements must also pass
// ownSentences, which is stricter. It drops pasted text: fenced code, quotations, lines indented like code, the content of elements, paragraphs with lines of a
// log, a terminal, a diff or a tool, and words of somebody else, from the line with the speaker or time to the end of the paragraph. What belongs to a request
// or an item below it, and what limits a statement (see request), is joined to its line. own has the lines without those that the prompt announces as somebody
// else's: the list below a line such as "I got this review:", or all lines below it if no list is there, and those from a copied conversation of a model, a
// mail, an accepted plan, or a role for another program on.
func typedLines(prompt string) (typed, own []string) {
	prompt, isTyped := Typed(prompt)
	if !isTyped {
		return nil, nil
	}
	prompt = placeholders.ReplaceAllString(invisible(prompt), "")
	entered, announced := -1, -1    // the number of lines before somebody else's, and before the last line that announced a paste
	mayList, inList := false, false // below this line a list may begin; it has begun
	var lists [][2]int              // where in typed the announced lists are
	if AcceptedPlan(prompt) != "" {
		entered = 0
	}
	speakers := speakersIn(prompt)
	var paragraph, block []string
	var asks request
	above := ""                                           // the line before, if it belongs to the paragraph
	pasted, isHeaded, fence, ends := false, false, "", "" // isHeaded: the line before says who said what follows; ends: see opened
	fields, shell, letter := 0, -1, -1                    // lines of a record above; where in typed a terminal and a letter began
	foreign := func() {
		if entered < 0 {
			entered = len(typed) + len(paragraph)
		}
	}
	leave := func(lines int) { // keeps the first lines only
		typed = typed[:min(lines, len(typed))]
		entered = min(entered, len(typed))
	}
	end := func() {
		switch tail := tailOf(typed, paragraph); {
		case pasted || isSigned(paragraph) || isPrinted(paragraph):
			leave(len(typed))
		case letter >= 0 && farewell.MatchString(tail), sender.MatchString(tail):
			leave(max(0, letter))
			letter = -1
		default:
			typed = append(typed, paragraph...)
		}
		paragraph, pasted, asks.isOpen = nil, false, false
	}
	at := 0
	for line := range strings.Lines(prompt) {
		text := strings.TrimSpace(line)
		wasHeaded, before := isHeaded, above
		isHeaded, above = false, ""
		at += len(line)
		switch _, isItem := withoutBullet(text); {
		case !mayList || text == "":
		case isItem || !inList:
			mayList, inList = isItem, isItem
		case indentOf(line) == 0 && !pasted: // the announced list has ended
			end()
			lists = append(lists, [2]int{min(entered, len(typed)), len(typed)})
			entered, mayList, inList = -1, false, false
		}
		name, said := turnOf(text)
		if field.MatchString(text) {
			fields++
		} else if text != "--" {
			fields = 0
		}
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
			if entered == announced && strings.TrimSpace(strings.Join(typed[max(0, entered):], "")) == "" { // the paste was in the fence
				entered = -1
			}
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
		case text == "" && wasHeaded:
			isHeaded = true
		case text == "":
			end()
			asks.isAbove = asks.isAbove && asks.isBare
			typed = append(typed, line)
		case shellLine.MatchString(text):
			if pasted, isHeaded = true, true; shell >= 0 && len(paragraph) > 0 { // below the output of the command before
				leave(shell)
			} else {
				shell = len(typed)
			}
		case isHead(text), saidLine.MatchString(text), speakers[name], strings.HasPrefix(text, ">") && strings.HasSuffix(text, ":"):
			end()
			pasted, isHeaded = true, !saidLine.MatchString(text) && said == ""
		case clockLine.MatchString(text) && len(paragraph) > 0 && nameLine.MatchString(strings.TrimSpace(paragraph[len(paragraph)-1])):
			paragraph = paragraph[:len(paragraph)-1]
			end()
			pasted, isHeaded = true, true
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
			pasted = true
		case turnLine.MatchString(text), forwarded.MatchString(text), text == "--" && fields >= 2:
			pasted, paragraph, asks = true, nil, request{}
			foreign()
		case len(paragraph) > 0 && mailLine.MatchString(text) && mailHead.MatchString(strings.TrimSpace(paragraph[len(paragraph)-1])):
			paragraph = paragraph[:len(paragraph)-1]
			foreign()
		default:
			if roleLine.MatchString(text) {
				foreign()
			}
			if letter < 0 && len(paragraph) == 0 && greeting.MatchString(text) {
				letter = len(typed)
			}
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
			if announces(strings.TrimRight(memory.OneLine(text), " *")) {
				announced = len(typed) + len(paragraph)
				foreign()
				mayList, inList = entered == announced && endsInColon(text) && !introducing.MatchString(text), false
			}
		}
	}
	end()
	if entered < 0 {
		entered = len(typed)
	}
	from := 0
	for _, one := range lists {
		own = append(own, typed[from:min(one[0], entered)]...)
		from = min(one[1], entered)
	}
	return typed, append(own, typed[from:entered]...)
}

// apart splits a line before each request behind another sentence. Words in quotation marks or in a code span, after a name ("Eve: ok. Remember: ..."), and in
// a text that the user hands over, are no requests. Behind a request only one to remember is another one: "Remember: the port is 1. Note: not in CI" is one.
func apart(line string) (parts []string) {
	_, isAsked := directiveOf(line, false)
	if name, _ := turnOf(line); !isAsked && name != "" && !strings.Contains(name, ". ") || handed.MatchString(strings.TrimSpace(line)) {
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

// limited reports whether a line belongs to the request or lasting statement above it: the line limits it, takes it back, or is
// indented below its item, or the request is to remember something and the line is in the rest of its short paragraph and says nothing lasting by itself. Such a line may say the
// opposite ("I meant 7001"), so the request may be wrong without it. A question or another request does not belong to it. rest is the text below the line.
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

// isSigned reports whether the last line of a paragraph names who said it, and is not an item of a list.
func isSigned(paragraph []string) bool {
	last := len(paragraph) - 1
	return last > 0 && signature.MatchString(strings.TrimSpace(paragraph[last])) && !strings.HasSuffix(strings.TrimSpace(paragraph[last-1]), ":") && !signature.MatchString(strings.TrimSpace(paragraph[last-1]))
}

// isPrinted reports whether a program printed a paragraph: settings below their section, the output of a command, or two or more rows
// that, all except for a header, begin with a hash or the number of a record or line.
func isPrinted(paragraph []string) bool {
	rows, number := 0, 0
	for _, line := range paragraph {
		before := number
		if found := numbered.FindStringSubmatch(line); found != nil {
			number, _ = strconv.Atoi(found[1])
		}
		switch {
		case row.MatchString(line), rows > 0 && number == before+1:
			rows++
		case number > before+1 && (number > 9 || number > 1 && !listed.MatchString(line)): // else it may be a list of the user's
			rows = 1
		}
	}
	return rows >= 2 && rows >= len(paragraph)-1 || printed.MatchString(strings.Join(paragraph, ""))
}

// tailOf returns the last lines of a text, to the end of a paragraph, each without the spaces around it.
func tailOf(typed, paragraph []string) string {
	const most = 5 // the lines of a farewell
	all := append(slices.Clone(typed[max(0, len(typed)-most):]), paragraph[max(0, len(paragraph)-most):]...)
	return "\n" + strings.Join(memory.Each(all, strings.TrimSpace), "\n")
}

// announces reports whether a line says that what follows is somebody else's: "I got this review:", "## Review comments".
func announces(line string) bool {
	words := tokens(line)
	return strings.HasSuffix(line, ":") && announcing.In(words) || isTitle(line) && announcing.In(words[max(0, len(words)-1):]) || introducing.MatchString(line) ||
		strings.HasSuffix(line, ":") && handed.MatchString(line)
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
	elementLine   = regexp.MustCompile(`^<([A-Za-z][\w:-]*)(?:\s[^>]*)?>`)
	elementWithin = regexp.MustCompile(`<([A-Za-z][\w:-]*)>`)
	comment       = regexp.MustCompile(`^(/\*|<!--)\*?(?:\s|$)`)
	commentEnds   = map[string]string{"/*": "*/", "<!--": "-->"}
)

// shellLine matches a line with the prompt of a shell, or of another program that reads commands. The prompt shows the user, machine,
// folder, branch or number, or is a mark that nobody types.
var shellLine = regexp.MustCompile(`^(?:\([\w. -]+\) ?)*(?:` +
	`(?:\[?[\w.-]+@[\w.-]+(?::[~/][^$#%>]*|[: ][^\s\d]\S*)?(?: \([^)]*\))?\]? ?[$#%>]|[\w.-]+:(?:[~/]\S*[$#]|\S+ [\w.-]+\$)|(?:~|~?/[\w./-]*)(?: \([^)]*\)| [a-z][\w./-]*)? ?[$#%>❯]|\w+-[\d.]+[$#]|[\w.]+(?:=|[(:][\w():]*)[#>])(?: [^\s\d]|$)` +
	`|[\w.-]+ [~/]\S* ?[$%❯] \S|└─+[$#]|\w+ \[[^\]]*\]> |\(\w+db\) \S|PS [~/]\S*>|[❯λ](?: \S|$)|>>>(?: |$)|In \[\d+\]:|(?:PS )?[A-Z]:\\(?:[^>]*[^>\s=-])?>|➜ {2}\S|(?:➜ +)?\S+ git:\()|^\([\w.-]+\) [$%#] \S`)

// turnLine matches the beginning of a turn in a copied conversation. The turn's later paragraphs have no mark.
var turnLine = regexp.MustCompile(`^(?:(?:Human|Assistant|User|Claude|ChatGPT|Model|AI)\s*:|⏺|●)`)

// mailLine matches a header line of a mail or ticket. Two such lines begin a mail, of which nothing is the user's.
var mailLine = regexp.MustCompile(`^[*>]*(?:From|To|Cc|Subject|Date|Sent|Von|An|Betreff|Datum|Gesendet|De|À|Objet|Envoyé|Para|Asunto|Fecha|Enviado|Assunto|Data|От|Кому|Тема|Дата|发件人|收件人|主题|差出人|宛先|件名|보낸 사람|받는 사람|제목|Title|Author|Reporter|Assignee|Status|Priority|Description)\**\s*[:：]|^(?:[A-Z][a-z]{2}, )?[A-Z][a-z]{2} \d{1,2}, ` + clock)

// mailHead matches a line above mailLine in a mail or a ticket: another such line, the sender, or the ticket's key and title.
var mailHead = regexp.MustCompile(mailLine.String() + `|^\S.* <\S+@\S+>$|^(?:[A-Z][A-Z0-9]{1,9}-\d+|#\d+)\b`)

// forwarded matches the line above a message that a mail program answers or forwards.
var forwarded = regexp.MustCompile(`(?i)^-{3,} ?[^-]{0,30}(?:message|nachricht|mensaje|mensagem|messaggio|сообщени)[^-]{0,20}-{3,}$`)

var (
	// row matches the beginning of a row that a program prints: a hash, or a record's number.
	row = regexp.MustCompile(`^(?:[0-9a-f]{7,40} \S|\d+[,;][^\s\d])`)
	// numbered matches the number at the beginning of a line; listed matches one that may as well be that of a list's item.
	numbered, listed = regexp.MustCompile(`^\s*(?:L|[Ll]ine )?(\d+)[:.)-](?:\s|$)`), regexp.MustCompile(`^\s*\d+[.)]`)
	// printed matches a program's output: a section above a setting, or a shell's prompt with the name of a machine above a line.
	printed = regexp.MustCompile(`(?m)^\[[\w.:" -]+\]\s*\n\s*[\w."-]+\s*=|^(?:[a-z]|\w+-)[\w.-]*[$%] [^\s\d].*\n.`)
	// field matches a line of a record, as gh prints one above a text and "--".
	field = regexp.MustCompile(`^\pL[\w -]{0,20}:(?:\s|$)`)
)

// roleLine matches a line that assigns a role to a program.
var roleLine = regexp.MustCompile(`(?i)^(?:you(?: are|'re|’re) (?:an? |now )|act as |your (?:task|role|job|goal) is )`)

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

// The parts of a line that programs put over or before what somebody said.
const (
	clock    = `\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp]\.?[Mm]\.?)?`
	anyName  = `@?\p{L}[\p{L}\p{N}_./'’-]*(?: \p{L}[\p{L}\p{N}_.'’-]*){0,2}`
	fullName = `\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,2}`
	day      = `(?:(?:[Tt]oday|[Yy]esterday|[Hh]eute|[Gg]estern|\d{1,4}[./-]\d{1,2}[./-]\d{1,4})(?: at| um)?,? )?`
	remarks  = `(?:commented|replied|reviewed|answered|posted|(?:opened|created) this(?: issue| task| pull request)?|(?:left|added) a (?:comment|review)|requested changes|suggested changes|approved these changes)(?: (?:on|to|in) (?:this|a) \w+(?: request)?)?`
	since    = `(?: (?:[-–—·] )?(?:.{0,20} ago|yesterday|last \w+|on \w+ \d.{0,8}|\d\S+ ` + clock + `))?(?: [·•|] .*)?`
)

var (
	// headLine matches a line of nothing but speaker and time: "eve  10:32 AM", "Eve Miller 10:32", "Eve · 2h", "eve commented 2 hours ago".
	headLine = regexp.MustCompile(`^(?:` + anyName + `(?::\w+:)?(?:\s{2,}|,? ?[—–·|•] ?| ?\()` + day + clock + `\)?:?|` + fullName + `,? ` + day + clock + `:?|` + anyName + ` (?:Today|Yesterday) at ` + clock +
		`|@[\w.-]+ ` + day + clock + `|` + anyName + `(?: @\S+)? [·•] \d+ ?[a-z]{1,7}\.?(?: ago)?|` + anyName + ` {2,}\d+ ?[a-z]{1,7}\.? ago|(?:Comment|Created|Posted|Written) by ` + fullName + `(?:,? (?:last|on|\d).{0,40})?|` + anyName + `,? \[[^\]]{0,20}\d:\d\d[^\]]{0,8}\]:?|\S+ \d+ [a-z]{3,7} ago \|.*|u/[\w-]+(?: [·•].*)?|(?:asked|answered|edited|modified) \w+ \d.{0,12} at ` + clock + `|` + anyName + `(?: \([^)]*\))? ` + remarks + since + `:?)$`)
	// saidLine matches a line that begins with the time and the speaker: "[10:32] Eve: ok", "10:32 <eve> ok", "eve> ok".
	saidLine = regexp.MustCompile(`^(?:\[[^\]]{0,30}\d:\d\d[^\]]{0,12}\]|\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? ` + clock + `|` + clock + ` (?:<|[\w.-]+: )|[\w.-]*\w> \S|` + anyName + ` \([^)]{0,20}\d:\d\d[^)]{0,12}\):)`)
	// signature matches a name below what its bearer said: "— Eve Miller, CTO".
	signature = regexp.MustCompile(`^(?:[—–―]|--) ?` + fullName + `(?:, .{1,40})?$`)
	// sender matches the end of a letter: a full name below a blank line or "--", and this person's position.
	sender = regexp.MustCompile(`\n--\n+` + fullName + `(?:\n.{1,60}){0,3}$|\n[^—–―\n-].*[^:\n]\n\n+(?:[—–―]|--) ?(?:\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){1,2}(?:, \p{Lu}.{0,40}| \([^)]+\))?|` + fullName + `, \p{Lu}.{0,40})$`)
	// greeting matches the first line of a letter, and farewell its end, both by their form.
	greeting = regexp.MustCompile(`^\pL+(?: [\pL\pN.'’-]+){0,5}[,，!]$`)
	farewell = regexp.MustCompile(`\n(?:\n\pL+(?: \pL+){0,3}!?\n+|\pL+(?: \pL+){0,6},\s+)\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,4}(?:\n.{1,60}){0,2}$`)
	// clockLine matches a time below a name, and nameLine the name.
	clockLine, nameLine = regexp.MustCompile(`^(?:` + day + clock + `(?: Today)?|\d+ \w+ ago|(?:[A-Z][a-z]{2},? ){0,2}(?:\d{1,2}, )?` + clock + `)$`), regexp.MustCompile(`^` + fullName + `$`)
	// turn matches "Eve: ok", "Eve Miller: ok", "**Eve (PM)**: ok".
	turn = regexp.MustCompile(`^[-*_ ]*(\p{L}[\p{L}_.'’-][\p{L}\d_.'’-]*(?: (?:\p{Lu}[\p{L}.'’-]*|\d+))?(?: \([^)]*\))?)[*_]*\s*[:：][*_]*\s*(.*)$`)
	// introducing matches a line that ends with "Eve wrote:" in another language than English, see announcing.
	introducing = regexp.MustCompile(`(?i)(?:^(?:am|op|den|il) .*\d.* (?:schrieb|schreef|skrev|ha scritto) (?-i:["'<\p{Lu}]).*|schrieb|geschrieben|sagte?|meinte?|gesagt|écrit|a dit|escribió|dijo|dice|escreveu|disse|написала?|пишет|сказала?|写道|說|说)\s*[:：]$`)
)

// speakersIn returns the names of the speakers if a text is a copied conversation, else nil. In a conversation at least two names begin lines, and one of the
// speakers speaks again after another, asks a question, or only agrees. A list has each name once ("Backend: ...", "Frontend: ...").
func speakersIn(text string) map[string]bool {
	speakers, talk, last := map[string]bool{}, false, ""
	for line := range strings.Lines(text) {
		name, said := turnOf(line)
		asks := slices.ContainsFunc(markers, func(m marker) bool { return m.word == strings.ToLower(name)+":" })
		if name == "" || asks || askedInOtherLanguages(strings.TrimSpace(line)) != "" {
			continue
		}
		talk = talk || speakers[name] && name != last || strings.HasSuffix(said, "?") && !unicode.IsDigit(rune(name[len(name)-1])) || len(speakers) > 0 && !speakers[name] && language.IsContinuation(said)
		speakers[name], last = true, name
	}
	if !talk || len(speakers) < 2 {
		return nil
	}
	return speakers
}

// turnOf returns the name before the first colon of a line, and what follows it.
func turnOf(line string) (name, said string) {
	if found := turn.FindStringSubmatch(strings.TrimSpace(line)); found != nil {
		return found[1], found[2]
	}
	return "", ""
}

// isHead reports whether a line says who said the lines after it.
func isHead(text string) bool {
	return len(text) < 100 && headLine.MatchString(text) && !speaks(text)
}
