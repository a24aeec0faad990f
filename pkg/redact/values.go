package redact

import (
	"encoding/base64"
	"strings"
)

// looksSecret decides by the shape of a value, its kind and its style. A name
// such as "token" is so common in code that only the value can tell a literal
// from a reference.
func looksSecret(value, kind string, style separatorStyle, quoted bool) bool {
	if isPlaceholder(value) || (!quoted && isCode(value)) {
		return false
	}
	m := measure(strings.TrimSpace(value))
	if kind == Password {
		return m.password(value, style, quoted)
	}
	return m.key(value, style, quoted)
}

// shape counts the bytes of a value by class. Symbols are those that names and
// versions do not have.
type shape struct {
	length, digits, upper, lower, blanks, symbols int
}

func measure(value string) shape {
	m := shape{length: len(value)}
	for i := range len(value) {
		switch c := value[i]; {
		case isDigit(c):
			m.digits++
		case 'A' <= c && c <= 'Z':
			m.upper++
		case 'a' <= c && c <= 'z':
			m.lower++
		case isBlank(c):
			m.blanks++
		case c != '-' && c != '_' && c != '.':
			m.symbols++
		}
	}
	return m
}

// mixedCase reports capitals other than one at the beginning.
func (m shape) mixedCase(value string) bool {
	first := 0
	if value != "" && 'A' <= value[0] && value[0] <= 'Z' {
		first = 1
	}
	return m.lower > 0 && m.upper > first
}

// isUserAndPassword recognises "name:password" in base64, as in the settings of
// Docker and npm.
func isUserAndPassword(value string) bool {
	if len(value) < 12 || len(value) > decisionWindow || strings.ContainsAny(value, "-_.: ") {
		return false
	}
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil {
		return false
	}
	for _, c := range plain {
		if c < ' ' || c > '~' {
			return false
		}
	}
	at := strings.IndexByte(string(plain), ':')
	return at > 0 && at+3 < len(plain)
}

func (m shape) password(value string, style separatorStyle, quoted bool) bool {
	if m.length < 6 || m.blanks > 0 || isPath(value) {
		return false
	}
	odd := m.digits > 0 || m.symbols > 0
	switch {
	case style == tight || (quoted && style == spaced):
		return odd || kindOfName(value) == ""
	case quoted && style == colon:
		return odd || (m.mixedCase(value) || m.length >= 12) && kindOfName(value) == ""
	}
	return odd
}

// key decides about tokens, secrets and keys, which are machine-made.
func (m shape) key(value string, style separatorStyle, quoted bool) bool {
	if m.length < 8 || m.blanks > 0 || (m.digits == m.length && m.length < 12) {
		return false
	}
	if m.length < 24 && m.symbols == 0 && mentionsSecret(value) {
		return false // a name such as secret-v2 or token_1
	}
	switch {
	case m.digits > 0 || (quoted && m.symbols > 0):
		return m.digits > 0 || strings.Trim(value, alphabet+"-_./:") != "" // auth/invalid-token
	case m.mixedCase(value) && m.length >= 20:
		return !isCamelCase(value)
	}
	return (style == tight || quoted) && m.length >= 16 && m.upper+m.lower == m.length && !isCamelCase(value)
}

// isCamelCase takes names such as refreshTokenProvider apart from random
// letters: their words are four letters and more on average.
func isCamelCase(value string) bool {
	words := 1
	for i := 1; i < len(value); i++ {
		if 'A' <= value[i] && value[i] <= 'Z' {
			words++
		}
	}
	return words > 1 && len(value) >= 4*words
}

func mentionsSecret(value string) bool {
	for _, word := range [...]string{"secret", "token", "pass"} {
		if containsFold(value, word) {
			return true
		}
	}
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		if part = strings.TrimRight(part, "0123456789"); strings.EqualFold(part, "key") || strings.HasSuffix(part, "Key") || strings.EqualFold(part, "apikey") {
			return true
		}
	}
	return false
}

// containsFold reports whether s holds the lower-case text want in any case.
func containsFold(s, want string) bool {
	for i := 0; i+len(want) <= len(s); i++ {
		if hasFold(s, i, want) {
			return true
		}
	}
	return false
}

// isPlaceholder recognises a placeholder in the place of a secret.
func isPlaceholder(value string) bool {
	if value == "" || isReference(value) || allSame(value) || isElsewhere(value) {
		return true
	}
	if len(value) < 14 {
		bare := strings.TrimRight(value, "!?,;")
		for _, word := range [...]string{"true", "false", "null", "none", "nil", "undefined", "string"} {
			if len(bare) == len(word) && hasFold(bare, 0, word) {
				return true
			}
		}
	}
	if holdsPlaceholder(value) {
		return true
	}
	for _, start := range [...]string{"your-", "your_", "my-", "my_", "your", "dummy", "insert-", "insert_", "todo", "enter-", "put-", "some-", "fake", "sample"} {
		if hasFold(value, 0, start) {
			return true
		}
	}
	return false
}

// placeholders are the words that are written in the place of a secret.
var placeholders = [...]string{"example", "changeme", "change-me", "change_me", "placeholder", "xxxx", "redacted", "****", "....", "…", "replace-me", "replace_me", "replaceme", "•••"}

var placeholdersBy = indexOf(len(placeholders), func(i int) byte { return placeholders[i][0] })

func holdsPlaceholder(value string) bool {
	for i := range len(value) {
		for at := placeholdersBy.first[lower(value[i])]; at != 0; at = placeholdersBy.next[at] {
			if hasFold(value, i, placeholders[at-1]) {
				return true
			}
		}
	}
	return false
}

// isElsewhere recognises a reference to where a secret is kept: op://vault/item/field,
// and [API_KEY] as in instructions.
func isElsewhere(value string) bool {
	if value[0] == '[' {
		return value[len(value)-1] == ']' && isName(strings.ReplaceAll(value[1:len(value)-1], "-", "_"))
	}
	if strings.Contains(value, "/secrets/") || strings.HasPrefix(value, "secrets/") {
		return true
	}
	if name, version, ok := strings.Cut(value, ":"); ok && (version == "latest" || allDigits(version)) && kindOfName(name) != "" {
		return true // db-password:latest
	}
	at := strings.Index(window(value, 24), "://")
	return at > 0 && isName(strings.ReplaceAll(value[:at], "+", "_"))
}

// isReference recognises $VAR, ${VAR}, $(command), %VAR%, {name}, {{name}},
// <name>, an address and a relative path.
func isReference(value string) bool {
	for _, start := range [...]string{"${", "$(", "%(", "$env:", "{{", "<", markerStart, "http://", "https://", "./", "../", "~/"} {
		if strings.HasPrefix(value, start) {
			return true
		}
	}
	last := value[len(value)-1]
	switch value[0] {
	case '$':
		return isVariable(value[1:])
	case '%':
		return len(value) > 2 && last == '%' && isName(value[1:len(value)-1])
	case '{':
		return last == '}'
	}
	return false
}

// isVariable recognises what stands behind the "$" of a variable, with an index or
// a member of it.
func isVariable(s string) bool {
	end := 0
	for end < len(s) && (isAlnum(s[end]) || s[end] == '_') {
		end++
	}
	return isName(s[:end]) && (end == len(s) || strings.IndexByte("[-.(:,)}/\"'", s[end]) >= 0)
}

// isPath recognises an absolute path, which is what PWD holds.
func isPath(value string) bool {
	for i := range len(value) {
		if !isNameByte(value[i]) && value[i] != '/' {
			return false
		}
	}
	return strings.HasPrefix(value, "/") && strings.Count(value, "/") > 1
}

func isName(s string) bool {
	for i := range len(s) {
		if !isAlnum(s[i]) && s[i] != '_' {
			return false
		}
	}
	return s != "" && !isDigit(s[0])
}

func allSame(value string) bool {
	for i := 1; i < len(value); i++ {
		if value[i] != value[0] {
			return false
		}
	}
	return true
}

// isCode recognises an expression: a call, an index, a list, or names joined by
// dots. It is asked only about values without quotes.
func isCode(value string) bool {
	if strings.IndexByte("[({*&!", value[0]) >= 0 {
		return true
	}
	if at := strings.IndexAny(value, "(["); at > 0 && isDottedName(value[:at]) {
		return true
	}
	if strings.HasPrefix(value, "process.env") || strings.HasPrefix(value, "os.") || strings.HasPrefix(value, "env.") {
		return true
	}
	return strings.IndexByte(value, '.') > 0 && isDottedName(value) && digitsIn(strings.ReplaceAll(value, ".", "_")) == 0
}

func isDottedName(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if !isName(part) {
			return false
		}
	}
	return true
}
