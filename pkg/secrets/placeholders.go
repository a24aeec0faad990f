package secrets

import "strings"

// markerStart begins the text that takes the place of a secret.
const markerStart = "[redacted:"

// isPlaceholder recognises a text that stands in the place of a secret.
func isPlaceholder(value string) bool {
	if value == "" || isReference(value) || allSame(value) || isElsewhere(value) {
		return true
	}
	if bare := strings.TrimRight(value, "!?,;"); len(value) < 14 && has(noValues, strings.ToLower(bare)) {
		return true
	}
	return holdsPlaceholder(value) || startOf(placeholderStarts, value) != ""
}

// holdsPlaceholder reports one of the words that are written in the place of a secret.
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

// isReference recognises $VAR, ${VAR}, $(command), %VAR%, {name}, {{name}}, :name,
// <name>, an address and a relative path.
func isReference(value string) bool {
	if startOf(referenceStarts, value) != "" {
		return true
	}
	last := value[len(value)-1]
	switch value[0] {
	case '$':
		return isVariable(value[1:])
	case '%':
		return len(value) > 2 && last == '%' && isName(value[1:len(value)-1])
	case '{':
		return last == '}'
	case ':': // of a statement's parameter
		return isName(value[1:])
	}
	return false
}

// isVariable recognises the name behind the "$" of a variable, with an index or
// a member of it.
func isVariable(s string) bool {
	end := 0
	for end < len(s) && (isAlnum(s[end]) || s[end] == '_') {
		end++
	}
	return isName(s[:end]) && (end == len(s) || strings.IndexByte("[-.(:,)}/\"'", s[end]) >= 0)
}

func allSame(value string) bool { return strings.Trim(value, value[:1]) == "" }

// isPath recognises an absolute path, which is what PWD holds.
func isPath(value string) bool {
	return strings.HasPrefix(value, "/") && strings.Count(value, "/") > 1 && strings.Trim(value, alphabet+"0123456789-_./:") == ""
}

// isCode recognises an expression: a call, an index, a list, or names joined by
// dots. It is asked only about values without quotes.
func isCode(value string) bool {
	if strings.IndexByte("[({*&!", value[0]) >= 0 || startOf(codeStarts, value) != "" {
		return true
	}
	if at := strings.IndexAny(value, "(["); at > 0 && isDottedName(value[:at]) {
		return true
	}
	if strings.IndexByte(value, '.') > 0 && isDottedName(value) && digitsIn(value) == 0 || namesItself(value) {
		return true
	}
	// random_password.db2.result
	first, rest, _ := strings.Cut(value, ".")
	return strings.Count(rest, ".") > 0 && isDottedName(value) && digitsIn(value) < 3 && digitsIn(first) == 0 && digitsIn(rest[strings.LastIndexByte(rest, '.'):]) == 0
}

// namesItself reports a name such as form.password1, PASSWORD_2 and Password2Type: in code it
// stands for a value.
func namesItself(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if digitsIn(last) != 1 || !isDottedName(name) {
		return false
	}
	at := strings.IndexAny(last, "0123456789")
	rest := last[at+1:]
	return (kindOfName(last[:at]) != "" || likelyKind(last[:at]) != "") && (rest == "" || isLetter(rest[0]) && makeupOf(rest).common*2 > len(rest)-1)
}

// isWords recognises words with "/" or "_" between, such as IDENTIFIER_2,
// replace_with_64_random_bytes and the name of a test.
func isWords(text string, m makeup) bool {
	return m.others > 0 && strings.Trim(text, alphabet+"0123456789_/") == "" && m.digits <= 4 && m.common*4 >= m.pairs*3
}
