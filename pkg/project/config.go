package project

import "strings"

// originURL finds the first non-empty url of [remote "origin"] in the text of a git
// config, by the syntax of git-config(1). Includes are not followed. A text that git
// would refuse as a whole is read as far as it makes sense.
func originURL(config string) string {
	s := scanner{text: strings.TrimPrefix(config, "\ufeff")}
	inOrigin := false
	for s.toContent() {
		if s.peek() == '[' {
			inOrigin = s.section() == "remote\x00origin"
			continue
		}
		name, value := s.variable()
		if inOrigin && value != "" && strings.EqualFold(name, "url") {
			return value
		}
	}
	return ""
}

// scanner walks a config. Every method moves forward or stands at the end.
type scanner struct {
	text string
	pos  int
}

func (s *scanner) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return '\n' // the end of the text ends its last line
}

func (s *scanner) done() bool { return s.pos >= len(s.text) }

// next returns the byte at pos and moves on; CRLF counts as one newline.
func (s *scanner) next() byte {
	c := s.peek()
	s.pos++
	if c == '\r' && !s.done() && s.peek() == '\n' {
		s.pos++
		return '\n'
	}
	return c
}

// toContent skips blank space and comments up to a section or a variable.
func (s *scanner) toContent() bool {
	for !s.done() {
		switch c := s.peek(); {
		case c == '#' || c == ';':
			s.restOfLine()
		case isBlank(c) || c == '\n':
			s.pos++
		default:
			return true
		}
	}
	return false
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

func (s *scanner) restOfLine() {
	for !s.done() && s.peek() != '\n' {
		s.pos++
	}
}

// section reads a header and returns its name in lower case, followed by NUL
// and the subsection where there is one. [a "B"] keeps the case of B; the old
// form [a.B] does not.
func (s *scanner) section() string {
	s.pos++ // the bracket
	var name strings.Builder
	for !s.done() && s.peek() != '\n' {
		switch c := s.next(); c {
		case ']':
			base, sub, dotted := strings.Cut(name.String(), ".")
			if dotted {
				return base + "\x00" + sub
			}
			return base
		case '"':
			return strings.TrimSpace(name.String()) + "\x00" + s.subsection()
		default:
			name.WriteByte(lower(c))
		}
	}
	return ""
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// subsection reads up to the closing quote and bracket.
func (s *scanner) subsection() string {
	var name strings.Builder
	for !s.done() && s.peek() != '\n' {
		c := s.next()
		if c == '"' {
			break
		}
		if c == '\\' {
			c = s.next()
		}
		name.WriteByte(c)
	}
	for !s.done() && s.peek() != '\n' {
		if s.next() == ']' {
			return name.String()
		}
	}
	return "\x00" // never closed: the name of nothing
}

func (s *scanner) variable() (name, value string) {
	start := s.pos
	for !s.done() && isNameByte(s.peek()) {
		s.pos++
	}
	name = s.text[start:s.pos]
	for !s.done() && isBlank(s.peek()) {
		s.pos++
	}
	if s.peek() != '=' || s.done() || name == "" {
		s.restOfLine()
		return name, ""
	}
	s.pos++
	return name, s.value()
}

func isNameByte(c byte) bool {
	return 'a' <= lower(c) && lower(c) <= 'z' || '0' <= c && c <= '9' || c == '-'
}

// value reads to the end of the line, over continuations, without comments and
// without blank space at either end except inside quotes.
func (s *scanner) value() string {
	var out []byte
	quoted, end := false, 0 // end is where unquoted trailing blanks begin
	for !s.done() {
		c := s.next()
		switch {
		case c == '\n':
			return string(out[:end])
		case c == '"':
			quoted = !quoted
			end = len(out)
			continue
		case !quoted && (c == '#' || c == ';'):
			s.restOfLine()
			return string(out[:end])
		case !quoted && isBlank(c):
			if len(out) > 0 {
				out = append(out, c)
			}
			continue
		case c == '\\':
			c = s.next()
			if c == '\n' {
				continue
			}
			c = unescaped(c)
		}
		out = append(out, c)
		end = len(out)
	}
	return string(out[:end])
}

func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}
