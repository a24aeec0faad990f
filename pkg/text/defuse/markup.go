package defuse

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Replacements of a bracket or a colon that would make a tag or a turn: people can
// read them, parsers ignore them.
const (
	Angle = '‹'
	Colon = '∶'
)

// tags are the names of elements that a client, a model's template or this product
// gives a meaning, in lower case. A name that goes on behind a dash, an underscore
// or a colon counts, too.
var tags = []string{
	"surrealdb", "private", "system", "task", "command", "local", "bash", "user", "new-diagnostics", "function",
	"functions", "tool", "tools",
	"antml", "invoke", "parameter", "parameters", "human", "assistant", "developer", "ai", "claude", "instructions",
	"instruction", "thinking",
	"result", "results", "output", "error", "important", "admin", "policy", "im_start", "im_end", "teammate", "channel", "cross-session", "agent-message", "session", "standing", "parts",
	"persisted-output", "ide",
}

// brackets of templates, behind "[" or "[/".
var brackets = []string{"inst", "sys", "system", "user", "assistant", "human", "tool"}

// roles are the names that open a turn. Those that are anywhere are taken for one
// within a line, too: lines are folded when they are kept.
var roles = []struct {
	name     string
	anywhere bool
}{
	{"human", true},
	{"assistant", true},
	{"user", false},
	{"system", false},
	{"developer", false},
	{"tool", false},
	{"function", false},
	{"claude", false},
	{"ai", false},
	{"model", false},
}

// withoutMarkup changes the bracket that makes a tag and, if asked, the colon that makes
// a turn.
func withoutMarkup(s string, turns bool) string {
	var out strings.Builder
	from := 0
	for i, r := range s {
		if r < utf8.RuneSelf && r != '<' && r != '[' && r != ':' {
			continue
		}
		var instead rune
		switch {
		case isAngle(r) && opensTag(s[i+utf8.RuneLen(r):]):
			instead = Angle
		case r == '[' && opensBracket(s[i+1:]):
			instead = Angle
		case turns && isColon(r) && endsRole(s[:i]):
			instead = Colon
		default:
			continue
		}
		out.WriteString(s[from:i])
		out.WriteRune(instead)
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

// opensTag reports whether the text after an angle bracket makes it a tag of meaning, also with blanks and a
// slash between, as a model reads it.
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
	// Of our own and the user's elements nothing may be left that begins like them.
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

// mostName is more than the longest name of a tag has, in characters.
const mostName = 40

// nameOf is the name that s begins with, in plain lower-case letters.
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

// narrow undoes the full-width forms of ASCII.
func narrow(r rune) rune {
	if r >= 0xff01 && r <= 0xff5e {
		return r - 0xfee0
	}
	return r
}

// mostRoleName is the length of the longest role.
const mostRoleName = len("assistant")

// mostRole is how far before a colon its role can begin, in bytes.
const mostRole = 64

// endsRole reports whether the text before a colon ends in a role where a turn could begin.
func endsRole(before string) bool {
	before = strings.TrimRight(before[max(0, len(before)-mostRole):], " \t\n*_`\"'”’")
	start := len(before)
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(before[:start])
		if r = narrow(r); r > unicode.MaxASCII || !unicode.IsLetter(r) {
			break
		}
		start -= size
	}
	if start == len(before) || len(before)-start > 3*mostRoleName {
		return false
	}
	name := nameOf(before[start:])
	for _, role := range roles {
		if name == role.name {
			return role.anywhere && beginsWord(before[:start]) || beginsTurn(before[:start])
		}
	}
	return false
}

// beginsWord reports whether a word can begin behind this.
func beginsWord(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return before == "" || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' && r != '.' && r != '/'
}

// beginsTurn reports whether a turn can begin behind this: at the start of a line, behind a mark of Markdown, or
// where a sentence has ended.
func beginsTurn(before string) bool {
	before = strings.TrimRight(before, " \t*_`\"'“‘#>|-\\")
	if before == "" {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(before)
	return strings.ContainsRune("\n.!?;:：﹕ː,)]}>…∶›»”’", r) || r == '“'
}
