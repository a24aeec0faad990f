package shell

import "strings"

// segment is a simple command with the operator after it.
type segment struct {
	words    []string
	operator string   // && || | & or ;
	text     string   // as it is written
	writes   []string // the targets of its redirections
}

// split splits a shell command into the simple commands that it runs, each as its
// words without quotes and redirections. Quoted text, comments and here-documents are
// data and never become a command. It expands nothing.
func split(command string) []segment {
	s := splitter{text: command}
	for s.at < len(s.text) {
		if len(s.words) == 0 && !s.inWord {
			s.from = s.at
		}
		s.step()
	}
	s.endCommand("")
	return s.segments
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
	hereEnds []string // the here-documents that begin on the next line
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
	}
	s.redirect = ""
	s.word.Reset()
	s.inWord = false
}

func (s *splitter) endCommand(operator string) {
	s.endWord()
	s.redirect = ""
	if len(s.words) > 0 {
		s.segments = append(s.segments, segment{s.words, operator, strings.TrimSpace(s.text[s.from:s.at]), s.writes})
	}
	s.words, s.writes = nil, nil
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
	s.hereEnds = append(s.hereEnds, strings.Trim(rest[:end], `'"\`))
}

func (s *splitter) skipHereDocuments() {
	for _, end := range s.hereEnds {
		for s.at < len(s.text) {
			line := s.lineFrom(s.at)
			s.at = min(s.at+len(line)+1, len(s.text))
			if strings.TrimLeft(line, "\t") == end {
				break
			}
		}
	}
	s.hereEnds = nil
}

// lineFrom is the rest of the line at a position, without its end.
func (s *splitter) lineFrom(at int) string {
	line, _, _ := strings.Cut(s.text[at:], "\n")
	return line
}

// setOf makes a set of the words of a list.
func setOf(list string) map[string]bool {
	made := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		made[word] = true
	}
	return made
}
