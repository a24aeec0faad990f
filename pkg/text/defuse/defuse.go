// Package defuse makes untrusted text safe to show to a model or on a terminal. A model could mistake a line for a
// turn of the conversation or for a tag of its client; a terminal obeys escape sequences. Changed text stays
// readable. The package is pure, links only a few string functions, and does not judge what a text means.
package defuse

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text removes from s what steers a terminal or cannot be seen, and disarms lines that imitate a turn of a conversation (Human:, Assistant:) and tags with a
// meaning for a client (<system-reminder>, </function_results>, <|im_start|>). It keeps line breaks and is idempotent: Text(Text(s)) equals Text(s).
func Text(s string) string { return withoutMarkup(Visible(s), true) }

// Tags does what Text does, but leaves imitated turns alone: it is for text that is stored, and that passes Text when it is shown.
func Tags(s string) string { return withoutMarkup(Visible(s), false) }

// Line returns Text(s) on one line, with single spaces.
func Line(s string) string {
	return withoutMarkup(strings.Join(strings.Fields(Visible(s)), " "), true)
}

// Quote puts a one-line text into quotation marks. It replaces quotation marks inside, so that only the last mark closes the quotation.
func Quote(line string) string {
	if strings.ContainsAny(line, openQuote+closeQuote) {
		line = quotes.Replace(line) // Replace always allocates
	}
	return openQuote + line + closeQuote
}

// Unquoted returns a one-line text unchanged. If it begins with Quote's mark, Unquoted replaces its quotation
// marks, so that it cannot look like a result of Quote.
func Unquoted(line string) string {
	if strings.HasPrefix(line, openQuote) {
		return quotes.Replace(line)
	}
	return line
}

// Name returns the name of a file or tag on one line, quoted if a reader could take it for more than a name.
func Name(s string) string {
	if s = Line(s); strings.ContainsAny(s, " ()“”\"") {
		return Quote(s)
	}
	return s
}

const openQuote, closeQuote = "“", "”"

var quotes = strings.NewReplacer(openQuote, `"`, closeQuote, `"`)

// Visible removes escape sequences, control characters except newline and tab, invisible characters, and characters
// that change the direction of writing. Other line ends become newlines; invalid UTF-8 becomes U+FFFD.
func Visible(s string) string {
	if isPlain(s) {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	last := rune(0) // the last rune written
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

// visible returns the character to write for r, or 0. last was written before it; rest is the text after it.
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

// isPlain reports whether a text needs no change. This is the fast path: most memories are plain.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c == 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// SteersTerminal reports whether r must not reach a terminal: a control character, a line end or something invisible.
func SteersTerminal(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || Hidden(r)
}

// Hidden reports whether r cannot be seen or changes the direction of writing: zero-width and format characters,
// tag characters (U+E0000 on), fillers, and variation selectors except the two for emoji.
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

// isJoiner reports whether r is a zero-width joiner or non-joiner, which some scripts and emoji need.
func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// joins reports whether a joiner may stand next to r. Emoji and many scripts use joiners; in Latin, Greek and Cyrillic text a joiner only hides something.
func joins(r rune) bool {
	return r > 0x052f && !Hidden(r) && !unicode.IsSpace(r) && r != utf8.RuneError
}

// isSelector reports whether r is a variation selector that chooses the look of an emoji.
func isSelector(r rune) bool { return r == '\ufe0e' || r == '\ufe0f' }

// introducerOf returns the byte after the escape character at the beginning of s, or 0 if s begins otherwise.
func introducerOf(s string) byte {
	switch {
	case len(s) < 2:
		return 0
	case s[0] == 0x1b:
		return s[1]
	case s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f && strings.ContainsRune("[]PX^_", rune(s[1]-0x40)): // C1 control in UTF-8
		return s[1] - 0x40
	}
	return 0 // no sequence
}

// escapeAt returns the length in bytes of the escape sequence at the beginning of s, or 0 if there is none. For an
// unterminated sequence it returns the length of the introducer only, so that no text is lost.
func escapeAt(s string) int {
	kind := introducerOf(s)
	if kind == 0 {
		return 0
	}
	switch rest := s[2:]; {
	case kind == '[':
		return 2 + controlSequence(rest)
	case strings.IndexByte("]PX^_", kind) >= 0:
		return 2 + stringSequence(rest)
	case kind >= 0x20 && kind <= 0x2f: // ESC ( B and similar
		if len(rest) > 0 && rest[0] >= 0x30 && rest[0] <= 0x7e {
			return 3
		}
		return 2
	case kind >= 0x30 && kind <= 0x7e:
		return 2
	}
	return 1
}

// controlSequence returns the length in bytes of a sequence's parameters and final byte.
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

// mostString is the maximum length in bytes of a title or link inside a sequence.
const mostString = 4096

// stringSequence returns the length in bytes up to BEL or the string terminator, or 0 if the line contains neither.
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

// Angle and Colon replace a tag's bracket and a turn's colon: readable for people, meaningless for parsers.
const (
	Angle = '‹'
	Colon = '∶'
)

// tags lists, in lower case, the element names with a meaning for a client, a model's template or this product. A
// longer name matches if a dash, an underscore or a colon follows the listed part.
var tags = []string{
	"surrealdb", "private", "system", "task", "command", "local", "bash", "user", "new-diagnostics", "function",
	"functions", "tool", "tools",
	"antml", "invoke", "parameter", "parameters", "human", "assistant", "developer", "ai", "claude", "instructions",
	"instruction", "thinking",
	"result", "results", "output", "error", "important", "admin", "policy", "im_start", "im_end", "teammate", "channel", "cross-session", "agent-message", "session", "standing", "parts",
	"persisted-output", "ide",
}

// brackets lists the names that stand behind "[" or "[/" in tags of model templates ([INST]).
var brackets = []string{"inst", "sys", "system", "user", "assistant", "human", "tool"}

// roles lists the names that open a turn at the beginning of a line; those in anywhere open one inside a line, too, because storing may have joined lines.
var (
	roles    = []string{"human", "assistant", "user", "system", "developer", "tool", "function", "claude", "ai", "model"}
	anywhere = []string{"human", "assistant"}
)

// withoutMarkup replaces the bracket of each tag and, if turns is set, the colon of each imitated turn.
func withoutMarkup(s string, turns bool) string {
	var out strings.Builder
	from := 0
	for i, r := range s {
		if r < utf8.RuneSelf && r != '<' && r != '[' && r != ':' {
			continue
		}
		var replacement rune
		switch {
		case isAngle(r) && opensTag(s[i+utf8.RuneLen(r):]):
			replacement = Angle
		case r == '[' && opensBracket(s[i+1:]):
			replacement = Angle
		case turns && isColon(r) && endsRole(s[:i]):
			replacement = Colon
		default:
			continue
		}
		out.WriteString(s[from:i])
		out.WriteRune(replacement)
		from = i + utf8.RuneLen(r)
	}
	if from == 0 {
		return s
	}
	out.WriteString(s[from:])
	return out.String()
}

func isAngle(r rune) bool { return r == '<' || r == '＜' || r == '﹤' }

func isColon(r rune) bool { return r == ':' || r == '：' || r == '﹕' || r == 'ː' }

// opensTag reports whether the text after an angle bracket begins with a name that has a meaning (see tags).
// Spaces and a slash may stand before the name: a model reads such a tag, too.
func opensTag(s string) bool {
	if strings.HasPrefix(s, "|") || strings.HasPrefix(s, "<SYS>>") || strings.HasPrefix(s, "</SYS>>") ||
		strings.HasPrefix(s, "SYS>>") {
		return true
	}
	name := nameOf(strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '/' || r == '／' }))
	for _, tag := range tags {
		if rest, is := strings.CutPrefix(name, tag); is && (rest == "" || strings.ContainsRune("-_:", rune(rest[0]))) {
			return true
		}
	}
	// Anything that begins like an element of this product or of the user is disarmed too.
	return strings.HasPrefix(name, "surrealdb-memory") || strings.HasPrefix(name, "private") ||
		strings.HasPrefix(name, "system-reminder")
}

func opensBracket(s string) bool {
	name := nameOf(strings.TrimPrefix(s, "/"))
	for _, bracket := range brackets {
		if name == bracket && strings.HasPrefix(strings.TrimPrefix(s, "/")[len(bracket):], "]") {
			return true
		}
	}
	return false
}

// mostName is the number of characters that nameOf reads; every listed name is shorter.
const mostName = 40

// nameOf returns the name at the beginning of s in ASCII lower case.
func nameOf(s string) string {
	var name strings.Builder
	n := 0
	for _, r := range s {
		r = unicode.ToLower(narrow(r))
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' && r != ':' || n == mostName {
			break
		}
		name.WriteRune(r)
		n++
	}
	return name.String()
}

// narrow converts a full-width form to its ASCII character.
func narrow(r rune) rune {
	if r >= 0xff01 && r <= 0xff5e {
		return r - 0xfee0
	}
	return r
}

// mostRoleName is the length in bytes of the longest role.
const mostRoleName = len("assistant")

// mostRole is how many bytes before a colon are searched for a role.
const mostRole = 64

// endsRole reports whether the text before a colon ends with a role, at a place where a turn can begin.
func endsRole(before string) bool {
	before = strings.TrimRight(before[max(0, len(before)-mostRole):], " \t\n*_`\"'”’")
	start := len(strings.TrimRightFunc(before, func(r rune) bool { return narrow(r) <= unicode.MaxASCII && unicode.IsLetter(narrow(r)) }))
	if start == len(before) || len(before)-start > 3*mostRoleName {
		return false
	}
	name := nameOf(before[start:])
	return slices.Contains(roles, name) && (slices.Contains(anywhere, name) && beginsWord(before[:start]) || beginsTurn(before[:start]))
}

// beginsWord reports whether a word can begin after the text before.
func beginsWord(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return before == "" || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' && r != '.' && r != '/'
}

// beginsTurn reports whether a turn can begin after the text before: at the start of a line, after a Markdown mark or a sentence.
func beginsTurn(before string) bool {
	before = strings.TrimRight(before, " \t*_`\"'“‘#>|-\\")
	if before == "" {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(before)
	return strings.ContainsRune("\n.!?;:：﹕ː,)]}>…∶›»”’", r) || r == '“'
}
