package redact

import (
	"strings"
	"unicode/utf8"
)

// elements are what withoutElements removes.
var elements = [...]string{Injected, SystemReminder, Private}

// withoutElements removes the elements with all they hold. Each element counts
// its own depth and text is hidden while any is open, so that overlapping ones
// hide the union of what they enclose.
func withoutElements(s string, report *Report) string {
	var out []byte
	var depth [len(elements)]int
	open, kept := 0, 0 // open: sum of depth; kept: s[kept:] is not yet decided
	for i := nextAngle(s, 0); i < len(s); i = nextAngle(s, i) {
		tag := tagAt(s, i)
		switch {
		case tag.kind == noTag || (tag.kind == closing && depth[tag.element] == 0):
			i++
			continue
		case open == 0:
			out = appendApart(out, s[kept:i])
			report.add(elements[tag.element])
		}
		switch tag.kind {
		case opening:
			depth[tag.element]++
			open++
		case closing:
			depth[tag.element]--
			open--
		}
		i = tag.end
		kept = i
	}
	switch {
	case open > 0:
		return string(out)
	case kept == 0:
		return s
	}
	return string(appendApart(out, s[kept:]))
}

func nextAngle(s string, from int) int {
	if i := strings.IndexByte(s[from:], '<'); i >= 0 {
		return from + i
	}
	return len(s)
}

// appendApart appends text and keeps words, and the halves of a tag, apart that
// a removed element had between them.
func appendApart(out []byte, text string) []byte {
	if len(out) > 0 && text != "" && !isBlank(out[len(out)-1]) && !isBlank(text[0]) {
		out = append(out, ' ')
	}
	return append(out, text...)
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

type tagKind uint8

const (
	noTag tagKind = iota
	opening
	closing
	selfClosed
)

type tag struct {
	kind    tagKind
	element int // index in elements
	end     int // where the search goes on
}

// tagAt recognises a tag whose angle bracket is at i. An opening tag needs no
// closing bracket: what may be one has to hide what follows. A closing tag has
// to be exact for the opposite reason.
func tagAt(s string, i int) tag {
	name := i + 1
	slash := name < len(s) && s[name] == '/'
	if slash {
		name++
	}
	for element, want := range elements {
		end := name + len(want)
		if !hasFold(s, name, want) || (end < len(s) && isNameByte(s[end])) {
			continue
		}
		after := end
		for after < len(s) && isBlank(s[after]) {
			after++
		}
		switch rest := s[after:]; {
		case slash && strings.HasPrefix(rest, ">"):
			return tag{closing, element, after + 1}
		case slash:
			return tag{}
		case strings.HasPrefix(rest, "/>"):
			return tag{selfClosed, element, after + 2}
		}
		return tag{opening, element, end}
	}
	return tag{}
}

// hasFold reports whether s has the lower-case ASCII text want at i.
func hasFold(s string, i int, want string) bool {
	if i+len(want) > len(s) {
		return false
	}
	for j := range len(want) {
		if lower(s[i+j]) != want[j] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func isNameByte(c byte) bool { return isAlnum(c) || c == '-' || c == '_' || c == '.' || c == ':' }

func isAlnum(c byte) bool { return isDigit(c) || isLetter(c) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// escapedAngle takes the place of the angle bracket of a tag: visible, and
// plain to a reader.
const escapedAngle = "‹"

// EscapeTag makes text safe to stand inside our own element: no tag of the
// three that Text removes is left in it, opening or closing, not even with
// spaces after the bracket. Each run of control characters other than newline
// and tab, of invisible direction marks and the like, becomes one space (none
// before a newline), and invalid UTF-8 becomes U+FFFD.
// EscapeTag(EscapeTag(s)) is EscapeTag(s).
func EscapeTag(s string) string {
	s = withoutControls(s)
	var out []byte
	kept := 0
	for i := nextAngle(s, 0); i < len(s); i = nextAngle(s, i+1) {
		if startsTag(s, i) {
			out = append(out, s[kept:i]...)
			out = append(out, escapedAngle...)
			kept = i + 1
		}
	}
	if kept == 0 {
		return s
	}
	return string(append(out, s[kept:]...))
}

// startsTag is wider than tagAt: a model reads "< / private" as a tag too.
func startsTag(s string, i int) bool {
	i++
	for i < len(s) && (isBlank(s[i]) || s[i] == '/') {
		i++
	}
	for _, name := range elements {
		if hasFold(s, i, name) {
			return true
		}
	}
	return false
}

func withoutControls(s string) string {
	if !strings.ContainsFunc(s, isControl) && utf8.ValidString(s) {
		return s
	}
	out := make([]byte, 0, len(s))
	pending := false // a run of controls is waiting for what follows it
	for _, r := range s {
		if isControl(r) {
			pending = true
			continue
		}
		if pending && r != '\n' {
			out = append(out, ' ')
		}
		pending = false
		out = utf8.AppendRune(out, r)
	}
	if pending {
		out = append(out, ' ')
	}
	return string(out)
}

// isControl leaves the joiners U+200C and U+200D alone: scripts and emoji need
// them.
func isControl(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ' || (0x7F <= r && r <= 0x9F):
		return true
	case r < 0x200B:
		return r == 0xAD
	}
	return r == 0x200B || r == 0x200E || r == 0x200F || r == 0xFEFF ||
		(0x202A <= r && r <= 0x202E) || (0x2060 <= r && r <= 0x2069) || (0xE0000 <= r && r <= 0xE007F)
}
