package defuse

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Angle and Colon replace the bracket of a tag and the colon of a turn: readable for people, meaningless for
// parsers.
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

// brackets lists the template names after "[" or "[/".
var brackets = []string{"inst", "sys", "system", "user", "assistant", "human", "tool"}

// roles lists the names that open a turn. The names in anywhere count even in the middle of a line, because stored text may
// have been folded into one line.
var (
	roles    = []string{"human", "assistant", "user", "system", "developer", "tool", "function", "claude", "ai", "model"}
	anywhere = []string{"human", "assistant"}
)

// withoutMarkup replaces the bracket of each tag and, with turns, the colon of each imitated turn.
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

// opensTag reports whether the text after an angle bracket makes it a meaningful tag. Spaces and a slash may come
// first, because a model reads such a tag all the same.
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

// mostRole is the number of bytes before a colon in which its role is looked for.
const mostRole = 64

// endsRole reports whether before, the text in front of a colon, ends with a role at a place where a turn can
// begin.
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

// beginsTurn reports whether a turn can begin after the text before: at the start of a line, after a Markdown mark,
// or after the end of a sentence.
func beginsTurn(before string) bool {
	before = strings.TrimRight(before, " \t*_`\"'“‘#>|-\\")
	if before == "" {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(before)
	return strings.ContainsRune("\n.!?;:：﹕ː,)]}>…∶›»”’", r) || r == '“'
}
