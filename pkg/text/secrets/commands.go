package secrets

import (
	"path"
	"slices"
	"strings"
)

// programAt returns the program named s[from:to], or nil. The name must begin a command, or be a separate word.
func programAt(s string, from, to int) *program {
	if to >= len(s) || s[to] != ' ' && s[to] != '\t' && (s[to] != '=' || s[from] != '-') || from > 0 && strings.IndexByte(".:@", s[from-1]) >= 0 {
		return nil
	}
	for at := programsBy.first[hashOf(s[from:to])]; at != 0; at = programsBy.next[at] {
		if programs[at-1].name == s[from:to] {
			return &programs[at-1]
		}
	}
	return nil
}

// command is a command line after the program's name, split into words.
type command struct {
	s    string
	at   int // start of the program's name
	args []word
	end  int
}

func (c command) text(i int) string { return c.args[i].in(c.s) }

// readCommand reads up to limit words of the command whose program is s[from:to].
func readCommand(s string, from, to, limit int) command {
	c := command{s: s, at: from}
	stop := min(len(s), to+maxCommand)
	i := to
	for i < stop && len(c.args) < limit {
		for i < stop && (s[i] == ' ' || s[i] == '\t' || i == to && s[i] == '=' || s[i] == '\\' && i+1 < stop && s[i+1] == '\n') {
			if s[i] == '\\' {
				i++
			}
			i++
		}
		if i >= stop || endsCommand(s[i]) {
			break
		}
		var w word
		w, i = commandWord(s, i, stop)
		c.args = append(c.args, w)
	}
	c.end = i
	return c
}

// secrets returns the parts of a command that match the secrets in its program's patterns:
//
//	user|-u       one of these arguments
//	_             any argument, or any part of one
//	…             any number of arguments
//	{}            the secret; {odd}, {key}, {long}, {quoted}, {word}, {bare} restrict its form, see fits
//	-p{} _:{}@_   an argument with the secret in it
//	<name>        an argument that is the name of a secret
//	^ $           begin and end of the command; without ^ a pattern may begin anywhere
//	has:login     the command has that argument somewhere
func (p *program) secrets(c command) []span {
	var found []span
	for pattern := range strings.SplitSeq(p.patterns, " ; ") {
		words := strings.Fields(pattern)
		for len(words) > 0 && strings.HasPrefix(words[0], "has:") && c.has(words[0][len("has:"):]) {
			words = words[1:]
		}
		if len(words) > 0 && words[0] == "^" {
			found, _ = c.match(words[1:], 0, found)
			continue
		}
		for i := range c.args {
			found, _ = c.match(words, i, found)
		}
	}
	return found
}

func (c command) has(words string) bool {
	for i := range c.args {
		if matched, _, _ := c.argument(words, i); matched {
			return true
		}
	}
	return false
}

// match appends the secrets of the arguments from i on if these match the pattern, and reports whether they do.
func (c command) match(pattern []string, i int, found []span) ([]span, bool) {
	switch {
	case len(pattern) == 0:
		return found, true
	case pattern[0] == "$":
		return found, i == len(c.args)
	case pattern[0] == "…":
		for ; i < len(c.args); i++ {
			if more, ok := c.match(pattern[1:], i, found); ok {
				return more, true
			}
		}
		return found, false
	case i >= len(c.args):
		return found, false
	}
	ok, from, to := c.argument(pattern[0], i)
	if !ok {
		return found, false
	}
	more := found
	if to > from {
		more = append(more, span{from, to, Password})
	}
	if more, ok = c.match(pattern[1:], i+1, more); !ok {
		return found, false
	}
	return more, true
}

// argument reports whether argument i matches one of the words of a pattern, and the range of the secret in it.
func (c command) argument(words string, i int) (ok bool, from, to int) {
	for one := range strings.SplitSeq(words, "|") {
		open := strings.IndexByte(one, '{')
		if open < 0 {
			if text := c.text(i); one == "<name>" && text != "" && text[0] != '-' && kindOfName(text) != "" || head(one, c.text(i)) == len(c.text(i)) {
				return true, 0, 0
			}
			continue
		}
		at := head(one[:open], c.text(i))
		class, tail, _ := strings.Cut(one[open+1:], "}")
		if at < 0 {
			continue
		}
		w := word{c.args[i].from + at, c.args[i].to, c.args[i].isQuoted}
		if tail != "" {
			w.to = w.from + strings.LastIndexByte(w.in(c.s), tail[0])
		}
		if w = inner(c.s, w, at > 0); fits(c.s, class, w) {
			return true, w.from, w.to
		}
	}
	return false, 0, 0
}

// head returns the length of text's prefix that matches a pattern, or -1. "_" matches one or more bytes, before ":" also none.
func head(pattern, text string) int {
	at := 0
	for i := range len(pattern) {
		switch {
		case pattern[i] != '_':
			if at >= len(text) || text[at] != pattern[i] {
				return -1
			}
			at++
		case i+1 < len(pattern) && pattern[i+1] == ':' && at < len(text) && text[at] == ':': // -u :TOKEN
		case i+1 == len(pattern):
			if at >= len(text) {
				return -1
			}
			return len(text)
		default:
			next := strings.IndexByte(text[min(at+1, len(text)):], pattern[i+1])
			if next < 0 {
				return -1
			}
			at += 1 + next
		}
	}
	return at
}

// inner returns a part of an argument without a leading "=" and the quotation marks around it.
func inner(s string, w word, isPart bool) word {
	if w.to <= w.from {
		return word{from: w.from, to: w.from}
	}
	if isPart && s[w.from] == '=' {
		w.from++
	}
	if quote := quoteAt(s[:w.to], w.from); quote != "" && w.to-w.from > 2*len(quote) && strings.HasSuffix(w.in(s), quote) {
		return word{from: w.from + len(quote), to: w.to - len(quote), isQuoted: true}
	}
	return w
}

// fits reports whether an argument may be a secret of a class: odd, key, long, quoted, word, bare or "" (any).
func fits(s, class string, w word) bool {
	text := window(w.in(s), decisionWindow)
	if !mayBePassword(text, w.isQuoted) {
		return false
	}
	switch class {
	case "odd":
		return isChosen(text)
	case "key":
		return isMachineMade(text)
	case "long":
		return len(text) >= 16 && (isOdd(text) || isMachineMade(text))
	case "quoted":
		return w.isQuoted
	case "word":
		return !strings.Contains(text, "/") && text[0] != '.'
	case "bare":
		return !strings.ContainsAny(text, "/@") && text[0] != '.'
	}
	return true
}

// mayBePassword reports whether an argument in the place of a password may be one.
func mayBePassword(text string, isQuoted bool) bool {
	if len(text) < 3 || isPlaceholder(text) || has(wordsForSecrets, text) || text[0] == '-' || text[0] == '(' || !isQuoted && isPath(text) {
		return false
	}
	return startOf("/dev/ /user: /persistent: /savecred env: file:", text) == ""
}

// piped finds the secret that echo or printf passes to a program, or writes into a file that is named after a secret.
func piped(c command) []span {
	at := slices.IndexFunc(c.args, func(w word) bool { return strings.HasPrefix(w.in(c.s), ">") })
	if at > 0 {
		if name := secretFile(c.s[c.args[at].from:c.end]); name != "" {
			return c.given(name, at-1)
		}
	}
	last := len(c.args) - 1
	if last < 0 || c.end >= len(c.s) {
		return nil
	}
	if before := c.s[max(0, c.at-maxSentence):c.at]; c.s[c.end] == ')' && strings.HasSuffix(before, "<(") && partOf(before) != "" {
		return c.given("", last) // --vault-password-file <(echo SECRET)
	}
	if c.s[c.end] != '|' {
		return nil
	}
	name, isReader := readerOf(restOfLine(window(c.s[c.end+1:], 256)))
	if !isReader {
		return nil
	}
	return c.given(name, last)
}

// secretFile returns the name of the file into which a command line redirects, if the name denotes a secret, or "".
func secretFile(line string) string {
	_, after, _ := strings.Cut(line, ">")
	for target := range strings.FieldsSeq(strings.TrimLeft(after, "> ")) {
		name := strings.TrimLeft(path.Base(strings.Trim(target, "\"'")), ".")
		if stem, _, _ := strings.Cut(name, "."); stem == "pgpass" || kindOfName(stem) != "" {
			return stem
		}
		break
	}
	return ""
}

// hereSecret finds the only line of a here-document, which begins with the sign at i, that goes into a file named after a secret.
func hereSecret(s string, i int) (span, bool) {
	before := s[max(0, i-maxCommand):i]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	rest := restOfLine(s[i:])
	if secretFile(before+rest) == "" {
		return span{}, false
	}
	end, _, _ := strings.Cut(strings.TrimLeft(rest, "<-~"), " ")
	end = strings.Trim(end, "'\"\r")
	from := i + len(rest) + 1
	if end == "" || from >= len(s) {
		return span{}, false
	}
	line := restOfLine(s[from:])
	return span{from, from + len(line), Password}, strings.HasPrefix(s[from+len(line):], "\n"+end) && fits(s, "odd", word{from: from, to: from + len(line)})
}

// readerOf returns the program of a command line, and whether it reads a secret from its input.
func readerOf(line string) (name string, isReader bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "sudo -S") {
		line = strings.TrimPrefix(line, "sudo ")
	}
	name, options, _ := strings.Cut(line, " ")
	if name == "base64" && startOf("-d --d", options) != "" {
		name = "" // base64 -d reads encoded text
	}
	isReader = strings.Contains(line, "stdin") && (strings.Contains(line, "pass") || strings.Contains(line, "token"))
	for i := range readers {
		isReader = isReader || readers[i].name == name && strings.Contains(line, readers[i].with)
	}
	return name, isReader
}

// given returns argument i as the secret that program name reads from its input, or that goes into the file name. chpasswd reads NAME:PASSWORD; base64 also
// reads texts that are not secret, and pgpass has fields.
func (c command) given(name string, i int) []span {
	w, class := inner(c.s, c.args[i], true), ""
	switch name {
	case "chpasswd":
		w.from += strings.IndexByte(w.in(c.s), ':') + 1
	case "base64", "pgpass":
		w.from += strings.LastIndexByte(w.in(c.s), ':') + 1
		class = "odd"
	}
	if !fits(c.s, class, w) {
		return nil
	}
	return []span{{w.from, w.to, Password}}
}

// commandSecrets returns the secrets of the command whose program is s[from:to], and the end of what it read.
func commandSecrets(s string, p *program, from, to int) ([]span, int) {
	if p.name[0] == '-' {
		if c := readCommand(s, from, to, 2); p.name != "-p" && p.name != "-P" || namesUser(s, from) {
			return p.secrets(c), from
		}
		return nil, from
	}
	c := readCommand(s, from, to, maxArguments)
	if p.patterns == "(piped)" {
		return piped(c), c.end
	}
	return p.secrets(c), c.end
}

// namesUser reports whether the command line names a user before i: then the argument of a flag may be the password.
func namesUser(s string, i int) bool {
	line := s[max(0, i-decisionWindow):i]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	if strings.Contains(line, "mysql") || strings.Contains(line, "mariadb") { // their -p takes no space: the next word is the database
		return false
	}
	return slices.ContainsFunc([]string{" -u ", " -U ", " --user ", " --user=", " --username ", " -l "}, func(flag string) bool {
		return strings.Contains(line, flag)
	})
}
