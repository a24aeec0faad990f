// Package defuse makes untrusted text safe to show. A model could mistake a line for a
// turn of the conversation or for a tag of its client; a terminal obeys escape sequences.
// Changed text stays readable. The package is pure and links only a few string functions.
// It does not judge the meaning of a text.
package defuse

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is s without anything that steers a terminal or cannot be seen, and without
// lines that imitate a turn of a conversation (Human:, Assistant:) or tags that a
// client gives a meaning (<system-reminder>, </function_results>, <|im_start|>).
// Lines stay lines. Text(Text(s)) is Text(s).
func Text(s string) string { return withoutMarkup(Visible(s), true) }

// Tags is Text that leaves imitated turns as they are: for text that is stored as somebody wrote it, and
// defused when it is shown.
func Tags(s string) string { return withoutMarkup(Visible(s), false) }

// Line is Text on one line, with single blanks.
func Line(s string) string {
	return withoutMarkup(strings.Join(strings.Fields(Visible(s)), " "), true)
}

// Quote puts a text of one line into quotation marks. Marks within it are replaced, so
// that the quotation ends only at its end.
func Quote(line string) string {
	if strings.ContainsAny(line, openQuote+closeQuote) {
		line = quotes.Replace(line) // copies the line always
	}
	return openQuote + line + closeQuote
}

// Unquoted is a text of one line that does not begin as Quote's do, so that nobody's words
// are taken for quoted ones.
func Unquoted(line string) string {
	if strings.HasPrefix(line, openQuote) {
		return quotes.Replace(line)
	}
	return line
}

// Name is the name of a file or a tag on one line. One that could be read as more than a
// name stands in quotation marks.
func Name(s string) string {
	if s = Line(s); strings.ContainsAny(s, " ()“”\"") {
		return Quote(s)
	}
	return s
}

const openQuote, closeQuote = "“", "”"

var quotes = strings.NewReplacer(openQuote, `"`, closeQuote, `"`)

// Visible is s without escape sequences, control characters other than newline
// and tab, and characters that cannot be seen or turn the direction of writing.
// Other line ends become newlines, invalid UTF-8 becomes U+FFFD.
func Visible(s string) string {
	if isPlain(s) {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	last := rune(0) // that was written
	for i := 0; i < len(s); {
		if n := escapeAt(s[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r = visible(r, last, s[i:]); r != 0 {
			out.WriteRune(r)
			last = r
		}
	}
	return out.String()
}

// visible is the character that is written for r, between the last one that was written
// and rest; 0 for none.
func visible(r, last rune, rest string) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case r == '\r' && strings.HasPrefix(rest, "\n"):
		return 0
	case strings.ContainsRune("\r\v\f\u0085\u2028\u2029", r):
		return '\n'
	case unicode.IsControl(r):
		return ' '
	case isJoiner(r):
		if next, _ := utf8.DecodeRuneInString(rest); !joins(last) || !joins(next) {
			return 0
		}
	case isSelector(r):
		if isSelector(last) || last <= ' ' || unicode.IsSpace(last) {
			return 0
		}
	case Hidden(r):
		return 0
	}
	return r
}

// isPlain reports text that needs no change, as most memories are.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c == 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// Steers reports characters that must not reach a terminal unchanged: control
// characters, line ends included, and invisible ones.
func Steers(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || Hidden(r)
}

// Hidden recognises a character that cannot be seen, or turns the direction of writing: zero-width and format
// characters, the characters of tags (U+E0000 on), fillers, and the variation selectors beyond those of
// emoji.
func Hidden(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0x34f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0:
		return true
	case r >= 0x180b && r <= 0x180f, r >= 0xfe00 && r <= 0xfe0d, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// isJoiner reports the zero-width characters that some scripts and emoji need.
func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// joins reports whether a joiner may stand beside a character: in scripts that use joiners, and in emoji; not in
// Latin, Greek or Cyrillic, where a joiner only hides.
func joins(r rune) bool {
	return r > 0x052f && !Hidden(r) && !unicode.IsSpace(r) && r != utf8.RuneError
}

// isSelector reports the variation selectors that choose how an emoji looks.
func isSelector(r rune) bool { return r == '\ufe0e' || r == '\ufe0f' }

// introducer is the byte behind the escape character with which s begins, 0 for none.
func introducer(s string) byte {
	switch {
	case len(s) < 2:
		return 0
	case s[0] == 0x1b:
		return s[1]
	case s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f && strings.ContainsRune("[]PX^_", rune(s[1]-0x40)): // C1, as UTF-8
		return s[1] - 0x40
	}
	return 0 // a control character, or the end of a line
}

// escapeAt is the length of the terminal's escape sequence that s begins with, in
// bytes; 0 if it begins with none. One that does not end is only its beginning, so
// that no text is lost by it.
func escapeAt(s string) int {
	kind := introducer(s)
	if kind == 0 {
		return 0
	}
	switch rest := s[2:]; {
	case kind == '[':
		return 2 + controlSequence(rest)
	case strings.IndexByte("]PX^_", kind) >= 0:
		return 2 + stringSequence(rest)
	case kind >= 0x20 && kind <= 0x2f: // ESC ( B and its kin
		if len(rest) > 0 && rest[0] >= 0x30 && rest[0] <= 0x7e {
			return 3
		}
		return 2
	case kind >= 0x30 && kind <= 0x7e:
		return 2
	}
	return 1
}

// controlSequence is the length of parameters and the final byte.
func controlSequence(s string) int {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 0x40 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x3f:
			return i
		}
	}
	return len(s)
}

// mostString bounds a title or a link that a sequence carries, in bytes.
const mostString = 4096

// stringSequence is the length up to BEL or the string terminator; 0 if there is
// none in this line.
func stringSequence(s string) int {
	for i := range min(len(s), mostString) {
		switch {
		case s[i] == 0x07:
			return i + 1
		case s[i] == '\n':
			return 0
		case strings.HasPrefix(s[i:], "\x1b\\"), strings.HasPrefix(s[i:], "\u009c"):
			return i + 2
		}
	}
	return 0
}
