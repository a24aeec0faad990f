package shell

import (
	"slices"
	"strings"
)

// segment is a simple command with the operator after it.
type segment struct {
	words    []string
	operator string   // && || | & or ;
	text     string   // as it is written
	writes   []string // the targets of its redirections
	more     Simple   // what Simples has beside the words
}

// Simple is a simple command with all that the shell would read or run for it. Words are without quotes; nothing is expanded in them.
type Simple struct {
	Words  []string
	Writes []string // files that its redirections write
	Reads  []string // files that its redirections read
	Given  []string // the texts of its here-documents and here-strings
	Runs   []string // the commands in $(…), `…` and <(…) within its words and here-documents
}

// Simples splits a shell command into its simple commands, as Commands does, but keeps a substitution in the word that it is part of.
// A command may have no words, as one that is only a redirection.
func Simples(command string) []Simple {
	s := splitter{text: command, isWhole: true}
	s.run()
	var all []Simple
	for _, one := range s.segments {
		one.more.Words, one.more.Writes = one.words, one.writes
		all = append(all, one.more)
	}
	return all
}

// split splits a shell command into the simple commands that it runs, each as its
// words without quotes and redirections. Quoted text, comments and here-documents are
// data and never become a command. It expands nothing.
func split(command string) []segment {
	return segments(splitter{text: command})
}

// segments are the simple commands of a splitter that have words.
func segments(s splitter) []segment {
	s.run()
	return slices.DeleteFunc(s.segments, func(one segment) bool { return len(one.words) == 0 })
}

func (s *splitter) run() {
	for s.at < len(s.text) {
		if len(s.words) == 0 && !s.inWord {
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
	words    []string
	from     int // the beginning of the segment's first word
	word     strings.Builder
	inWord   bool     // also while the word is empty: ''
	redirect string   // the redirection of which the next word is the target
	writes   []string // the targets so far
	more     Simple   // of the segment so far
	isWhole  bool     // a substitution stays in its word
	closed   bool     // a bracket has closed, and no command has followed
	hereEnds []hereEnd
}

// hereEnd is a here-document that begins on the next line.
type hereEnd struct {
	word     string
	isQuoted bool // nothing in it is run
	segment  int  // that reads it
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
		s.words = append(s.words, s.word.String())
	case strings.Contains(s.redirect, ">"):
		s.writes = append(s.writes, s.word.String())
	case s.redirect == "<<<":
		s.more.Given = append(s.more.Given, s.word.String())
	default:
		s.more.Reads = append(s.more.Reads, s.word.String())
	}
	s.redirect = ""
	s.word.Reset()
	s.inWord = false
}

func (s *splitter) endCommand(operator string) {
	s.endWord()
	s.redirect = ""
	isRead := len(s.hereEnds) > 0 && s.hereEnds[len(s.hereEnds)-1].segment == len(s.segments)
	if s.closed && len(s.words) == 0 && operator != "" && operator != ";" { // what is behind a bracket is about the last command in it
		s.after(operator)
	}
	s.closed = s.closed && len(s.words) == 0
	if len(s.words) > 0 || len(s.writes) > 0 || isRead {
		s.segments = append(s.segments, segment{s.words, operator, strings.TrimSpace(s.text[s.from:s.at]), s.writes, s.more})
	}
	s.words, s.writes, s.more = nil, nil, Simple{}
}

// after sets the operator behind the last command.
func (s *splitter) after(operator string) {
	for i := len(s.segments) - 1; i >= 0; i-- {
		if len(s.segments[i].words) > 0 {
			s.segments[i].operator = operator
			return
		}
	}
}

// substitution consumes a $(…), `…`, or <(…) outside of quotes, that begins at the position, as a part of the word, and reports whether
// one does.
func (s *splitter) substitution(isQuoted bool) bool {
	rest := s.text[s.at:]
	inside, length := substituted(rest)
	if !isQuoted && (strings.HasPrefix(rest, "<(") || strings.HasPrefix(rest, ">(")) {
		inside, length = substituted("$" + rest[1:])
	}
	if length == 0 {
		return false
	}
	s.more.Runs = append(s.more.Runs, inside)
	s.add(rest[:length])
	s.at += length
	return true
}

// substituted returns the command of the substitution that a text begins with, and the length of all of it; 0, if it begins with none.
// One that is never closed takes the rest.
func substituted(text string) (inside string, length int) {
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

// operator is the one at the position; a bracket separates like a semicolon.
func (s *splitter) operator() string {
	for _, one := range []string{"&&", "||", "|", "&"} {
		if strings.HasPrefix(s.text[s.at:], one) {
			return one
		}
	}
	return ";"
}

// escaped reads a backslash and the character that loses its meaning; before the end of a
// line both vanish.
func (s *splitter) escaped() {
	next := s.text[s.at+1 : min(s.at+2, len(s.text))]
	if next != "\n" {
		s.add(next)
	}
	s.at += 1 + len(next)
}

// until consumes an opening quote, text and its closing quote and returns the
// text. A quote that is never closed takes the rest.
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

// startRedirection consumes an operator such as 2>&1, >> and &>. Its target, the
// next word, is no argument.
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

// hereDocument reads the word that ends a here-document, such as -'EOF'.
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
			s.segments[end.segment].more.read(s.text[from:to], end.isQuoted)
		}
	}
	s.hereEnds = nil
}

// read adds a here-document.
func (s *Simple) read(text string, isQuoted bool) {
	s.Given = append(s.Given, text)
	for at := 0; at < len(text) && !isQuoted; {
		inside, length := substituted(text[at:])
		if length > 0 {
			s.Runs = append(s.Runs, inside)
		}
		at += max(1, length)
	}
}

// lineFrom is the rest of the line at a position, without its end.
func (s *splitter) lineFrom(at int) string {
	line, _, _ := strings.Cut(s.text[at:], "\n")
	return line
}

// SetOf makes a set of the words of a list.
func SetOf(list string) map[string]bool {
	made := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		made[word] = true
	}
	return made
}
