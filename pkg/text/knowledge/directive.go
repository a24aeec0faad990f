package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Directive is a text that the user asked to keep.
type Directive struct {
	Kind         memory.Kind
	Text         string
	before       string // words that the marker, or the line above the list, adds at the beginning of Text
	isToRemember bool   // the line has a word such as "remember", which nobody uses but to ask
}

// listBelow returns what a line asks of each item of the list below it. isBare is true if the line itself says nothing to keep.
func listBelow(line string, d Directive) (list Directive, isBare bool) {
	if d.Kind != "" {
		if strings.HasSuffix(d.Text, ":") || onlyEverywhere.MatchString(d.Text) {
			d.before, d.Text = d.Text, ""
			return d, true
		}
		return d, false
	}
	if text := strings.TrimSpace(plain.Replace(strings.TrimLeftFunc(line, isLeading))); heading.MatchString(text) {
		return Directive{Kind: memory.KindConvention, before: text}, true
	}
	return directiveOf(line+" item", false)
}

// The marks that people put before a line, and around a word.
const (
	leadingMarks = "-*_>#`~•·–—+→⇒”»›’ \t\u3000" + openingMarks
	openingMarks = "\"“„«‹'‘(（「『【《"
	closingMarks = "”»›）」』】》"
	emphasis     = "*_`"
)

// plain removes emphasis and quotation marks, and writes a spaced or full-width colon as ":", as the table of markers has it.
var plain = strings.NewReplacer("*", "", "_", "", "`", "", "\"", "", "“", "", "”", "", "«", "", "»", "", "›", "", "」", "", "】", "", "』", "", " :", ":", " ：", ":", "：", ":")

// markedHead is the number of bytes at the beginning of a line in which a marker may end.
const markedHead = 60

// directiveOf returns the request of a line that begins with a marker, with any list mark, sign, quotation mark, emphasis
// or full-width form around it, and words before it that open a sentence: "**Remember:**", "> remember:", "Also, remember：".
// Behind other words (isBehind) only a marker with a colon counts: "Remember, my door is open" is how people talk.
func directiveOf(line string, isBehind bool) (Directive, bool) {
	typed := strings.TrimLeftFunc(line, isLeading)
	bare, _ := withoutBullet(memory.OneLine(typed))
	bare = strings.TrimLeftFunc(strings.TrimPrefix(bare, "[ ] "), isLeading) // "1. **Remember:**"
	opener := openers.FindString(bare)
	bare = strings.TrimLeftFunc(bare[len(opener):], isLeading)
	isBehind = isBehind || opener != "" && !strings.EqualFold(opener, "please ")
	head := bare[:min(len(bare), markedHead)]
	if at := strings.IndexAny(head, ":："); at >= 0 {
		_, size := utf8.DecodeRuneInString(bare[at:])
		head = bare[:at+size]
	} else {
		head = head[:strings.LastIndexByte(head, ' ')+1]
	}
	isQuoted := strings.ContainsAny(line[:len(line)-len(typed)], openingMarks) && !strings.ContainsAny(head, closingMarks+"\"'’)") // around the line, not around the marker
	before := strings.TrimSuffix(memory.OneLine(line), bare)
	around := before[len(strings.TrimRight(before, emphasis)):]
	texts := []string{bare, plain.Replace(head) + bare[len(head):]}
	if around != "" && strings.Contains(head, around) { // around the marker alone
		around, texts = "", texts[1:]
	}
	if strings.EqualFold(opener, "please ") && !endsInColon(bare) {
		texts = append(texts, opener+bare)
	}
	for _, text := range texts {
		for _, m := range markers {
			if rest := keptOf(behind(text, m.word), around, isQuoted); rest != "" && (!isBehind || endsInColon(m.word)) {
				return Directive{m.kind, strings.TrimSpace(m.before + " " + rest), m.before, strings.HasPrefix(m.word, "remember")}, true
			}
		}
		asked := askedInOtherLanguages(text)
		if rest := keptOf(asked, around, isQuoted); rest != "" && (!isBehind || endsInColon(strings.TrimSuffix(text, asked))) {
			return Directive{Kind: memory.KindNote, Text: rest, isToRemember: true}, true
		}
	}
	return Directive{}, false
}

// keptOf returns the text to keep: the rest of the line without the partner of the emphasis right before its marker, and without the
// quotation mark that closes a quoted line. It returns "" if the line is a code span. Other marks belong to the text: "0 5 * * *".
func keptOf(rest, around string, isQuoted bool) string {
	text := strings.TrimPrefix(rest, around)
	if text == rest && strings.Contains(around, "`") && strings.Contains(rest, "`") {
		return ""
	} else if text == rest {
		text = strings.TrimSuffix(text, around)
	}
	text = strings.TrimLeft(text, closingMarks)
	if text != rest || strings.HasPrefix(text+" ", ": ") || strings.HasPrefix(text, "：") {
		text = strings.TrimLeft(text, ":： ")
	}
	text = strings.TrimSpace(text)
	if end, size := utf8.DecodeLastRuneInString(text); isQuoted && strings.ContainsRune(closingMarks+"\"“'’‘)", end) {
		text = text[:len(text)-size]
	}
	return text
}

// isLeading reports whether a rune before a request is not part of it, such as a mark of a list or quotation, or a picture.
func isLeading(r rune) bool {
	return strings.ContainsRune(leadingMarks, r) || unicode.In(r, unicode.So, unicode.Sk, unicode.Mn, unicode.Cf)
}

// behind returns what follows words if the line begins with them, in any case and width; otherwise "".
func behind(line, words string) string {
	at := 0
	for _, want := range words {
		r, size := utf8.DecodeRuneInString(line[at:])
		if r >= '！' && r <= '～' { // full width
			r -= '！' - '!'
		}
		if size == 0 || unicode.ToLower(r) != want {
			return ""
		}
		at += size
	}
	if next := line[at:]; line[at-1] < utf8.RuneSelf && next != "" && next[0] < utf8.RuneSelf && !strings.ContainsRune(" "+emphasis, rune(next[0])) {
		return "" // "note:x", "i preferred"
	}
	return strings.TrimSpace(line[at:])
}
