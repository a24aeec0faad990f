package secrets

import "strings"

const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// charset is a set of bytes that a part of a token is made of.
type charset uint8

const (
	alnum   charset = 1 << iota // letters and digits
	dash                        // "-" and "_"
	dot                         // "."
	slashed                     // "+", "/" and "="
	colons                      // ":", "|", "!" and "$"
	hexa                        // hexadecimal digits
	solid                       // all but blanks, quotation marks and angle brackets
	caps                        // capitals and digits
)

const (
	wide   = alnum | dash
	dotted = wide | dot
	any64  = wide | slashed
)

var sets = func() (table [256]charset) {
	for c := byte(' ' + 1); c != 0; c++ {
		table[c] = solid
	}
	capitals, digits := alphabet[26:], "0123456789"
	for _, one := range [...]struct {
		set   charset
		bytes string
	}{
		{alnum, alphabet + digits},
		{caps, capitals + digits},
		{hexa, digits + "abcdefABCDEF"},
		{dash, "-_"},
		{slashed, "+/="},
		{colons, ":|!$"},
		{dot, "."},
		{solid, "\"'`<>"},
	} {
		for _, b := range []byte(one.bytes) {
			table[b] ^= one.set // those of solid are none
		}
	}
	return table
}()

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func isAlnum(c byte) bool { return isDigit(c) || isLetter(c) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// has reports that one of the words, separated by blanks, is the given one.
func has(list, word string) bool {
	for one := range strings.SplitSeq(list, " ") {
		if one == word && word != "" {
			return true
		}
	}
	return false
}

// hasFolded reports that one of the words, separated by blanks, is the given one in any case.
func hasFolded(list, word string) bool {
	for one := range strings.SplitSeq(list, " ") {
		if len(one) == len(word) && word != "" && hasFold(word, 0, one) {
			return true
		}
	}
	return false
}

// startOf is the first of the words, separated by blanks, with which s begins, or "".
func startOf(list, s string) string {
	for one := range strings.SplitSeq(list, " ") {
		if hasFold(s, 0, one) {
			return one
		}
	}
	return ""
}

// holdsOne reports that s holds one of the words, separated by blanks.
func holdsOne(list, s string) bool {
	for one := range strings.SplitSeq(list, " ") {
		if strings.Contains(s, one) {
			return true
		}
	}
	return false
}

// hasFold reports whether s has the lower-case ASCII text want at i.
func hasFold(s string, i int, want string) bool {
	if i < 0 || i+len(want) > len(s) {
		return false
	}
	for j := range len(want) {
		if lower(s[i+j]) != want[j] {
			return false
		}
	}
	return true
}

func hasSuffixFold(s, suffix string) bool { return hasFold(s, len(s)-len(suffix), suffix) }

// containsFold reports whether s holds the lower-case text want in any case.
func containsFold(s, want string) bool {
	for i := 0; i+len(want) <= len(s); i++ {
		if hasFold(s, i, want) {
			return true
		}
	}
	return false
}

// window is the beginning of s, at most n bytes.
func window(s string, n int) string { return s[:min(n, len(s))] }

// maxGap is how many blanks may stand at either side of a separator.
const maxGap = 16

func blanks(s string, i int) int {
	n := 0
	for n < maxGap && i+n < len(s) && (s[i+n] == ' ' || s[i+n] == '\t') {
		n++
	}
	return n
}

// spanOf is the end of the run of bytes of a set that begins at i. Points and
// signs at its end belong to the sentence.
func spanOf(s string, i int, set charset) int {
	end := i
	for end < len(s) && sets[s[end]]&set != 0 && !strings.HasPrefix(s[end:], "-----") {
		end++
	}
	for end > i && (s[end-1] == '.' || s[end-1] == ':' || s[end-1] == '!') {
		end--
	}
	return end
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// digitsIn counts digits.
func digitsIn(s string) int {
	n := 0
	for i := range len(s) {
		if isDigit(s[i]) {
			n++
		}
	}
	return n
}

// isName reports a name as programs have it.
func isName(s string) bool {
	for i := range len(s) {
		if !isAlnum(s[i]) && s[i] != '_' {
			return false
		}
	}
	return s != "" && !isDigit(s[0])
}

// isDottedName reports names with points between.
func isDottedName(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if !isName(part) {
			return false
		}
	}
	return true
}

const (
	// maxEscapes is how many backslashes a quotation mark has in JSON four times in JSON.
	maxEscapes = 15
	// maxSentence is how far behind a keyword a secret is looked for, in bytes.
	maxSentence = 120
	// maxCommand is how far behind its program a command line is read, in bytes.
	maxCommand = 1024
	// decisionWindow is how many bytes of a value decide whether it is a secret. It
	// bounds the work at each place, and so keeps the whole linear.
	decisionWindow = 256
	// maxArguments is how many arguments of a command line are looked at.
	maxArguments = 48
)

// restOfLine is s up to the end of its line, at most maxCommand bytes.
func restOfLine(s string) string {
	line, _, _ := strings.Cut(window(s, maxCommand), "\n")
	return line
}

// quoteAt is the quotation mark at i, with the backslashes it has inside JSON that
// is itself in JSON.
func quoteAt(s string, i int) string {
	if i < 0 || i >= len(s) {
		return ""
	}
	if isQuote(s[i]) {
		return s[i : i+1]
	}
	if s[i] == '\\' {
		end := i + 1
		for end < len(s) && s[end] == '\\' && end-i < maxEscapes {
			end++
		}
		if end < len(s) && (s[end] == '"' || s[end] == '\'') {
			return s[i : end+1]
		}
	}
	return ""
}

// quotedText is s up to the quotation mark or the end of the line.
func quotedText(s, quote string) string {
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], quote) || s[i] == '\n':
			return s[:i]
		case s[i] == '\\':
			i++
		}
	}
	return s
}

// maxWrapped is over how many lines a value in quotation marks may go.
const maxWrapped = 4

// quotedLines is s up to the quotation mark, over the ends of lines, if no line has a blank,
// or ends as one does that another name follows. Else it is s up to the end of the line.
func quotedLines(s, quote string) string {
	line := quotedText(s, quote)
	for end, n := len(line), 1; n < maxWrapped && end < len(s) && s[end] == '\n' && end > 0; n++ {
		from := end + 1
		from += blanks(s, from)
		next := quotedText(s[from:], quote)
		if text := strings.TrimSpace(next); text == "" || strings.ContainsAny(text, " \t") ||
			strings.ContainsAny(text[len(text)-1:], "=:({[,") {
			break
		}
		if end = from + len(next); strings.HasPrefix(s[end:], quote) {
			return s[:end]
		}
	}
	return line
}

// unwrapped is a value without the ends of lines in it.
func unwrapped(text string) string {
	if !strings.Contains(text, "\n") {
		return text
	}
	var one strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		one.WriteString(strings.TrimSpace(line))
	}
	return one.String()
}

// word is a word of a command or a sentence, without its quotation marks.
type word struct {
	from, to int
	isQuoted bool
}

func (w word) in(s string) string { return s[w.from:w.to] }

// commandWord reads one word of a command: wholly in quotation marks, or up to a blank,
// with quoted parts in it.
func commandWord(s string, i, stop int) (word, int) {
	if quote := quoteAt(s, i); quote != "" {
		from := i + len(quote)
		to := from + len(quotedLines(s[min(from, stop):stop], quote))
		next := min(stop, to+len(quote))
		if next >= stop || isBlank(s[next]) || endsCommand(s[next]) || s[next] == ',' || s[next] == '.' {
			return word{from: from, to: to, isQuoted: true}, max(next, i+1)
		}
	}
	from := i
	for i < stop && !isBlank(s[i]) && !endsCommand(s[i]) {
		if i++; i < stop && isQuote(s[i]) { // -p'...' over two lines
			if over := quotedLines(s[i+1:stop], s[i:i+1]); strings.Contains(over, "\n") {
				i += 1 + len(over)
			}
		}
	}
	return word{from: from, to: i}, max(i, from+1)
}

func endsCommand(c byte) bool { return c == '\n' || c == '\r' || c == '|' || c == ';' || c == ')' }

// sentenceWord reads a word of a sentence, without the signs around it.
func sentenceWord(s string, i, stop int) (word, int) {
	if quote := quoteAt(s, i); quote != "" {
		from := i + len(quote)
		to := from + len(quotedText(s[from:min(len(s), stop+decisionWindow)], quote))
		return word{from: from, to: to, isQuoted: true}, min(len(s), to+len(quote))
	}
	from := i
	for i < len(s) && i-from < maxCommand && !isBlank(s[i]) && strings.IndexByte("\"'`<>|", s[i]) < 0 {
		i++
	}
	if i < len(s) && s[i] == '\'' { // it's
		for i < len(s) && i-from < 64 && (isLetter(s[i]) || s[i] == '\'') {
			i++
		}
	}
	to := i
	for to > from+1 && strings.IndexByte(",.;)]}", s[to-1]) >= 0 {
		to--
	}
	return word{from: from, to: to}, max(i, from+1)
}

// wordBefore is the word of letters that ends before i, but for blanks, folded.
func wordBefore(s string, i int) (from int, text string) {
	for i > 0 && s[i-1] == ' ' {
		i--
	}
	from = i
	for from > 0 && isLetter(s[from-1]) && i-from < 16 {
		from--
	}
	return from, strings.ToLower(s[from:i])
}
