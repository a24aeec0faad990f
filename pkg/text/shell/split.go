package shell

import (
	"slices"
	"strings"
)

// segment is a simple command and the operator after it.
type segment struct {
	Simple
	operator string // && || | & or ;
	text     string // as written
}

// Simple is a simple command with everything that the shell would read or run for it. Its words have no quotes and are not expanded.
type Simple struct {
	Words  []string
	Writes []string // files that its redirections write
	Reads  []string // files that its redirections read
	Given  []string // the texts of its here-documents and here-strings
	Pipes  bool     // a pipe leads its output to the next command
	Runs   []string // the commands in $(…), `…` and <(…) in its words and here-documents
}

// Simples splits a shell command into its simple commands. Unlike split, it keeps a substitution inside its word
// and returns commands without words, such as a lone redirection, or a pipe after a bracket.
func Simples(command string) []Simple {
	s := splitter{text: command, isWhole: true}
	s.run()
	var all []Simple
	for _, one := range s.segments {
		one.Pipes = one.operator == "|"
		all = append(all, one.Simple)
	}
	return all
}

// split splits a shell command into the simple commands that it runs, without quotes and redirections. Quoted text,
// comments and here-documents are data and never become a command. It expands nothing.
func split(command string) []segment {
	return segments(splitter{text: command})
}

// segments runs a splitter and returns its simple commands that have words.
func segments(s splitter) []segment {
	s.run()
	return slices.DeleteFunc(s.segments, func(one segment) bool { return len(one.Words) == 0 })
}

func (s *splitter) run() {
	for s.at < len(s.text) {
		if len(s.Words) == 0 && !s.inWord {
			s.from = s.at
		}
		s.step()
	}
	s.endCommand("")
}

type splitter struct {
	text string
	at   int

	segments []segment
	Simple       // the parts of this segment
	from     int // offset of the segment's first word
	word     strings.Builder
	inWord   bool   // inside a word, even an empty one ('')
	redirect string // redirection whose target is the next word
	isWhole  bool   // a substitution stays in its word
	closed   bool   // a closing bracket was read, and no command since
	hereEnds []hereEnd
}

// hereEnd is a here-document whose text begins on the next line.
type hereEnd struct {
	word     string
	isQuoted bool // the shell runs nothing in it
	segment  int  // index of the segment that reads it
}

// step consumes at least one byte.
func (s *splitter) step() {
	c := s.text[s.at]
	switch {
	case c == '\\':
		s.escaped()
	case c == '\'':
		s.add(s.until("'"))
	case c == '"':
		s.doubleQuoted()
	case s.isWhole && s.substitution(false):
	case c == '#' && !s.inWord:
		s.at += len(s.lineFrom(s.at))
	case c == ' ' || c == '\t' || c == '\r':
		s.endWord()
		s.at++
	case c == '\n':
		s.endCommand(";")
		s.at++
		s.skipHereDocuments()
	case c == '<' || c == '>' || strings.HasPrefix(s.text[s.at:], "&>"):
		s.startRedirection()
	case strings.IndexByte("&|;()`", c) >= 0:
		operator := s.operator()
		s.endCommand(operator)
		s.closed = s.closed || c == ')'
		s.at += len(operator)
	default:
		s.add(s.text[s.at : s.at+1])
		s.at++
	}
}

func (s *splitter) add(text string) {
	s.word.WriteString(text)
	s.inWord = true
}

func (s *splitter) endWord() {
	switch {
	case !s.inWord:
		return
	case s.redirect == "":
		s.Words = append(s.Words, s.word.String())
	case strings.Contains(s.redirect, ">"):
		s.Writes = append(s.Writes, s.word.String())
	case s.redirect == "<<<":
		s.Given = append(s.Given, s.word.String())
	default:
		s.Reads = append(s.Reads, s.word.String())
	}
	s.redirect = ""
	s.word.Reset()
	s.inWord = false
}

func (s *splitter) endCommand(operator string) {
	s.endWord()
	s.redirect = ""
	isRead := len(s.hereEnds) > 0 && s.hereEnds[len(s.hereEnds)-1].segment == len(s.segments)
	if s.closed && len(s.Words) == 0 && operator != "" && operator != ";" { // an operator after a bracket belongs to the last command inside it
		s.after(operator)
		if operator == "|" {
			s.segments = append(s.segments, segment{operator: operator})
		}
	}
	s.closed = s.closed && len(s.Words) == 0
	if len(s.Words) > 0 || len(s.Writes) > 0 || isRead {
		s.segments = append(s.segments, segment{s.Simple, operator, strings.TrimSpace(s.text[s.from:s.at])})
	}
	s.Simple = Simple{}
}

// after sets the operator after the last command.
func (s *splitter) after(operator string) {
	for i := len(s.segments) - 1; i >= 0; i-- {
		if len(s.segments[i].Words) > 0 {
			s.segments[i].operator = operator
			return
		}
	}
}

// substitution reports whether a $(…) or `…` begins at the current position, or outside of quotes a <(…), and consumes it as a part of the word.
func (s *splitter) substitution(isQuoted bool) bool {
	rest := s.text[s.at:]
	inside, length := Substituted(rest)
	if !isQuoted && (strings.HasPrefix(rest, "<(") || strings.HasPrefix(rest, ">(")) {
		inside, length = Substituted("$" + rest[1:])
	}
	if length == 0 {
		return false
	}
	s.Runs = append(s.Runs, inside)
	s.add(rest[:length])
	s.at += length
	return true
}

// Substituted returns the command of the substitution at the beginning of text, and the length of the substitution,
// or 0 if there is none. An unclosed substitution extends to the end.
func Substituted(text string) (inside string, length int) {
	if strings.HasPrefix(text, "`") {
		inside, _, closed := strings.Cut(text[1:], "`")
		if !closed {
			return inside, len(text)
		}
		return inside, len(inside) + 2
	}
	if !strings.HasPrefix(text, "$(") {
		return "", 0
	}
	depth := 0
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[2:i], i + 1
			}
		}
	}
	return text[2:], len(text)
}

// operator returns the operator at the current position. A bracket separates like a semicolon.
func (s *splitter) operator() string {
	for _, one := range []string{"&&", "||", "|", "&"} {
		if strings.HasPrefix(s.text[s.at:], one) {
			return one
		}
	}
	return ";"
}

// escaped consumes a backslash and the character after it. A backslash before a newline vanishes together with it.
func (s *splitter) escaped() {
	next := s.text[s.at+1 : min(s.at+2, len(s.text))]
	if next != "\n" {
		s.add(next)
	}
	s.at += 1 + len(next)
}

// until consumes a quoted text and returns it without the quotes. An unclosed quote extends to the end.
func (s *splitter) until(quote string) string {
	text, _, closed := strings.Cut(s.text[s.at+1:], quote)
	s.at += 1 + len(text)
	if closed {
		s.at++
	}
	return text
}

func (s *splitter) doubleQuoted() {
	s.add("")
	for s.at++; s.at < len(s.text); {
		switch s.text[s.at] {
		case '"':
			s.at++
			return
		case '\\':
			if s.at+1 < len(s.text) && strings.IndexByte("$`\"\\\n", s.text[s.at+1]) < 0 { // stays
				s.add("\\")
				s.at++
				continue
			}
			s.escaped()
		default:
			if s.isWhole && s.substitution(true) {
				continue
			}
			s.add(s.text[s.at : s.at+1])
			s.at++
		}
	}
}

// startRedirection consumes an operator such as 2>&1, >> or &>. The next word is its target and not an argument.
func (s *splitter) startRedirection() {
	if s.inWord && strings.Trim(s.word.String(), "0123456789") == "" { // 2> names a stream
		s.word.Reset()
		s.inWord = false
	}
	s.endWord()
	from := s.at
	for s.at < len(s.text) && strings.IndexByte("<>&|", s.text[s.at]) >= 0 {
		s.at++
	}
	if s.text[from:s.at] == "<<" {
		s.hereDocument()
		return
	}
	if s.at < len(s.text) && s.text[s.at] == '(' { // <(command) runs
		return
	}
	s.redirect = s.text[from:s.at]
}

// hereDocument consumes the word that ends a here-document, such as -'EOF'.
func (s *splitter) hereDocument() {
	rest := strings.TrimLeft(s.text[s.at:], "- \t")
	end := strings.IndexAny(rest, " \t\n;|&<>()")
	if end < 0 {
		end = len(rest)
	}
	s.at = len(s.text) - len(rest) + end
	word := strings.Trim(rest[:end], `'"\`)
	s.hereEnds = append(s.hereEnds, hereEnd{word, word != rest[:end], len(s.segments)})
}

func (s *splitter) skipHereDocuments() {
	for _, end := range s.hereEnds {
		from, to := s.at, len(s.text)
		for s.at < len(s.text) {
			line, at := s.lineFrom(s.at), s.at
			s.at = min(s.at+len(line)+1, len(s.text))
			if strings.TrimLeft(line, "\t") == end.word {
				to = at
				break
			}
		}
		if end.segment < len(s.segments) {
			s.segments[end.segment].read(s.text[from:to], end.isQuoted)
		}
	}
	s.hereEnds = nil
}

// read adds the text of a here-document and the commands in it.
func (s *Simple) read(text string, isQuoted bool) {
	s.Given = append(s.Given, text)
	for at := 0; at < len(text) && !isQuoted; {
		inside, length := Substituted(text[at:])
		if length > 0 {
			s.Runs = append(s.Runs, inside)
		}
		at += max(1, length)
	}
}

// lineFrom returns the line from position at on, without its end.
func (s *splitter) lineFrom(at int) string {
	line, _, _ := strings.Cut(s.text[at:], "\n")
	return line
}

func SetOf(list string) map[string]bool {
	made := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		made[word] = true
	}
	return made
}

// Quote quotes a text as one word for a POSIX shell.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// NameLetters are the characters of a variable's name.
const NameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// Word quotes a text as one word for a POSIX shell, if it needs quotes. A leading ~/ keeps its meaning.
func Word(text string) string {
	if rest, is := strings.CutPrefix(text, "~/"); is {
		return "~/" + Word(rest)
	}
	if text != "" && strings.Trim(text, NameLetters+"-./@%+,") == "" {
		return text
	}
	return Quote(text)
}
