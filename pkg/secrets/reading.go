package secrets

import "strings"

const (
	// maxEscapes is how many backslashes a quotation mark has in JSON four times in JSON.
	maxEscapes = 15
	// maxSentence is how far behind a keyword a secret is looked for, in bytes.
	maxSentence = 120
	// maxCommand is how far behind its program a command line is read, in bytes.
	maxCommand = 1024
	// maxArguments is how many arguments of a command line are looked at.
	maxArguments = 48
)

// restOfLine is s up to the end of its line, at most maxCommand bytes.
func restOfLine(s string) string {
	s = window(s, maxCommand)
	if at := strings.IndexByte(s, '\n'); at >= 0 {
		return s[:at]
	}
	return s
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

// chosenPair is the password of s[from:to] if that is alice:SECRET.
func chosenPair(s string, from, to int) (span, bool) {
	user, password, ok := strings.Cut(s[from:to], ":")
	if !ok || !isName(strings.NewReplacer("-", "_", ".", "_", "@", "_").Replace(user)) || !isChosen(password) {
		return span{}, false
	}
	return span{to - len(password), to, Password}, true
}
