package secrets

import "strings"

const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// charset is a set of bytes that a part of a token may contain.
type charset uint8

const (
	alnum   charset = 1 << iota // letters and digits
	dash                        // "-" and "_"
	dot                         // "."
	slashed                     // "+", "/" and "="
	colons                      // ":", "|", "!" and "$"
	hexa                        // hexadecimal digits
	solid                       // all but spaces, quotation marks and angle brackets
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
			table[b] ^= one.set // removes quotation marks and angle brackets from solid
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

// has reports whether a list of words, separated by spaces, contains word.
func has(list, word string) bool {
	for one := range strings.SplitSeq(list, " ") {
		if one == word && word != "" {
			return true
		}
	}
	return false
}

// hasFolded reports whether a list of words, separated by spaces, contains word in any case.
func hasFolded(list, word string) bool {
	for one := range strings.SplitSeq(list, " ") {
		if len(one) == len(word) && word != "" && hasFold(word, 0, one) {
			return true
		}
	}
	return false
}

// startOf returns the first word of a list, separated by spaces, with which s begins, or "".
func startOf(list, s string) string {
	for one := range strings.SplitSeq(list, " ") {
		if hasFold(s, 0, one) {
			return one
		}
	}
	return ""
}

// holdsOne reports whether s contains one of the words, separated by spaces.
func holdsOne(list, s string) bool {
	for one := range strings.SplitSeq(list, " ") {
		if strings.Contains(s, one) {
			return true
		}
	}
	return false
}

// hasFold reports whether the lower-case ASCII text want is at position i of s, in any case.
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

// containsFold reports whether s contains the lower-case text want in any case.
func containsFold(s, want string) bool {
	for i := 0; i+len(want) <= len(s); i++ {
		if hasFold(s, i, want) {
			return true
		}
	}
	return false
}

// window returns the first n bytes of s.
func window(s string, n int) string { return s[:min(n, len(s))] }

// maxGap is the maximum number of spaces on either side of a separator.
const maxGap = 16

func blanks(s string, i int) int {
	n := 0
	for n < maxGap && i+n < len(s) && (s[i+n] == ' ' || s[i+n] == '\t') {
		n++
	}
	return n
}

// spanOf returns the end of the bytes from i on that are in a set, without a final point, colon or exclamation mark.
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

func digitsIn(s string) int {
	n := 0
	for i := range len(s) {
		if isDigit(s[i]) {
			n++
		}
	}
	return n
}

// isName reports whether s has the form of a name in programs.
func isName(s string) bool {
	for i := range len(s) {
		if !isAlnum(s[i]) && s[i] != '_' {
			return false
		}
	}
	return s != "" && !isDigit(s[0])
}

// isDottedName reports whether s consists of names joined by points.
func isDottedName(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if !isName(part) {
			return false
		}
	}
	return true
}

const (
	// maxEscapes is the number of backslashes before a quotation mark in JSON nested four times.
	maxEscapes = 15
	// maxNear is the number of bytes after a keyword within which random text counts as a secret.
	maxNear = 64
	// maxSentence is the number of bytes after a keyword in which a secret is looked for.
	maxSentence = 120
	// maxCommand is the number of bytes read of a command line.
	maxCommand = 1024
	// decisionWindow is the number of bytes of a value that decide whether it is a secret. It keeps the scan linear.
	decisionWindow = 256
	// maxArguments is the number of arguments read of a command line.
	maxArguments = 48
)

// restOfLine returns s up to the end of its line, at most maxCommand bytes.
func restOfLine(s string) string {
	line, _, _ := strings.Cut(window(s, maxCommand), "\n")
	return line
}

// quoteAt returns the quotation mark at i with the backslashes before it in nested JSON, or "".
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

// quotedText returns s up to the closing quotation mark or the end of the line.
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

// word is the range of a word in a command or a sentence, without its quotation marks.
type word struct {
	from, to int
	isQuoted bool
}

func (w word) in(s string) string { return s[w.from:w.to] }

// commandWord reads one word of a command, either wholly quoted or up to a space with quoted parts in it. It returns the word and the position after it.
func commandWord(s string, i, stop int) (word, int) {
	if quote := quoteAt(s, i); quote != "" {
		from := i + len(quote)
		to := from + len(quotedText(s[min(from, stop):stop], quote))
		next := min(stop, to+len(quote))
		if next >= stop || isBlank(s[next]) || endsCommand(s[next]) || s[next] == ',' || s[next] == '.' {
			return word{from: from, to: to, isQuoted: true}, max(next, i+1)
		}
	}
	from := i
	for i < stop && !isBlank(s[i]) && !endsCommand(s[i]) {
		i++
	}
	return word{from: from, to: i}, max(i, from+1)
}

func endsCommand(c byte) bool { return c == '\n' || c == '\r' || c == '|' || c == ';' || c == ')' }

// sentenceWord reads a word of a sentence without the signs around it, and returns the position after it.
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

// wordBefore returns the start of the word of letters before i, ignoring spaces, and the word in lower case.
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
