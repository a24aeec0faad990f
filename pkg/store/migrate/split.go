package migrate

import (
	"fmt"
	"strings"
)

// Statement is one statement of a SurrealQL text, without surrounding space and comments and without the semicolon.
type Statement struct {
	SQL    string
	Line   int // line of its first byte, from 1
	Offset int // offset of its first byte in the text, from 0
}

// SyntaxError is returned for a text that cannot be split, because something opened at Line is never closed, or a
// bracket closes nothing.
type SyntaxError struct {
	Line    int
	Message string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// Split splits a SurrealQL text at the semicolons outside of strings ('…' "…"), quoted identifiers (`…` ⟨…⟩),
// comments (// -- # and /* */, which do not nest), brackets and regular expressions.
//
// A slash begins a regular expression only where nothing else is possible: at the beginning of a statement, or
// after an opening bracket, a comma, a colon or an operator, and only if it is closed on the same line. So in
// `RETURN /;/` the slash counts as a division and the semicolon splits; write `RETURN (/;/)`. JavaScript bodies are
// read as SurrealQL. The engine always gets the whole text: a wrong split affects only the line number in an error.
func Split(sql string) ([]Statement, error) {
	s := splitter{text: sql, start: -1, line: 1}
	for s.pos < len(s.text) {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	if n := len(s.open); n > 0 {
		return nil, &SyntaxError{s.open[n-1].line, fmt.Sprintf("%q is never closed", s.open[n-1].opener)}
	}
	s.cut()
	return s.found, nil
}

type bracket struct {
	opener byte
	line   int
}

type splitter struct {
	text      string
	pos, line int
	open      []bracket
	found     []Statement

	start, startLine int // start and line of the current statement; start is -1 between statements
	end              int // offset after its last byte other than space and comments
}

const (
	angleOpen  = "⟨"
	angleClose = "⟩"
)

// quotes maps the opening of a literal to its end and its name.
var quotes = []struct{ opener, closer, name string }{
	{"'", "'", "string"},
	{`"`, `"`, "string"},
	{"`", "`", "identifier"},
	{angleOpen, angleClose, "identifier"},
}

func (s *splitter) step() error {
	rest := s.text[s.pos:]
	for _, comment := range []string{"//", "--", "#"} {
		if strings.HasPrefix(rest, comment) {
			s.skip(lineLength(rest))
			return nil
		}
	}
	if strings.HasPrefix(rest, "/*") {
		length := strings.Index(rest[2:], "*/")
		if length < 0 {
			return &SyntaxError{s.line, "the comment is never closed"}
		}
		s.skip(length + 4)
		return nil
	}
	for _, quote := range quotes {
		if strings.HasPrefix(rest, quote.opener) {
			length := quotedLength(rest, quote.opener, quote.closer)
			if length < 0 {
				return &SyntaxError{s.line, "the " + quote.name + " is never closed"}
			}
			s.take(length)
			return nil
		}
	}
	return s.stepByte(rest)
}

func (s *splitter) stepByte(rest string) error {
	switch c := rest[0]; c {
	case ' ', '\t', '\r', '\n', '\f', '\v':
		s.skip(1)
	case '/':
		s.take(max(1, s.regexLength(rest)))
	case '(', '[', '{':
		s.open = append(s.open, bracket{c, s.line})
		s.take(1)
	case ')', ']', '}':
		n := len(s.open)
		if n == 0 || s.open[n-1].opener != openerOf(c) {
			return &SyntaxError{s.line, fmt.Sprintf("%q closes nothing", c)}
		}
		s.open = s.open[:n-1]
		s.take(1)
	case ';':
		if len(s.open) > 0 {
			s.take(1)
			return nil
		}
		s.cut()
		s.skip(1)
	default:
		s.take(1)
	}
	return nil
}

func (s *splitter) skip(n int) {
	s.line += strings.Count(s.text[s.pos:s.pos+n], "\n")
	s.pos += n
}

func (s *splitter) take(n int) {
	if s.start < 0 {
		s.start, s.startLine = s.pos, s.line
	}
	s.skip(n)
	s.end = s.pos
}

func (s *splitter) cut() {
	if s.start >= 0 {
		s.found = append(s.found, Statement{SQL: s.text[s.start:s.end], Line: s.startLine, Offset: s.start})
	}
	s.start = -1
}

// regexLength returns the length of the regular expression at the beginning of rest, or 0.
func (s *splitter) regexLength(rest string) int {
	if s.start >= 0 && strings.IndexByte("([{,;:=!<>~?&|+-*%", s.text[s.end-1]) < 0 {
		return 0
	}
	return max(0, quotedLength(rest[:lineLength(rest)], "/", "/"))
}

func lineLength(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}

// quotedLength returns the length of the literal at the beginning of text, or -1 if it is never closed. A backslash
// escapes the byte after it.
func quotedLength(text, opener, closer string) int {
	for i := len(opener); i < len(text); i++ {
		if text[i] == '\\' {
			i++
		} else if strings.HasPrefix(text[i:], closer) {
			return i + len(closer)
		}
	}
	return -1
}

func openerOf(closer byte) byte {
	switch closer {
	case ')':
		return '('
	case ']':
		return '['
	}
	return '{'
}
