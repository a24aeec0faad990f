package secrets

import "strings"

// makeup counts properties of a text that show whether it is random or consists of words.
type makeup struct {
	length, digits, upper, lower, others int
	hexOnly                              bool
	pairs, common                        int // pairs of letters, and pairs common in words
	changes                              int // changes between digits and letters or between cases, except a capital that begins a word
}

// class is the class of a byte. Signs have the class none.
type class uint8

const (
	none class = iota
	digit
	small
	capital
)

func classOf(c byte) class {
	switch {
	case isDigit(c):
		return digit
	case 'a' <= c && c <= 'z':
		return small
	case 'A' <= c && c <= 'Z':
		return capital
	}
	return none
}

func makeupOf(s string) makeup {
	m := makeup{length: len(s), hexOnly: true}
	var counts [4]int
	before := none
	for i := range len(s) {
		now := classOf(s[i])
		counts[now]++
		m.hexOnly = m.hexOnly && sets[s[i]]&hexa != 0
		if now >= small && before >= small {
			m.pairs++
			if letterPairs[lower(s[i-1])-'a']&(1<<(lower(s[i])-'a')) != 0 {
				m.common++
			}
		}
		if before != none && now != none && now != before && (before != capital || now != small) {
			m.changes++
		}
		before = now
	}
	m.others, m.digits, m.lower, m.upper = counts[none], counts[digit], counts[small], counts[capital]
	return m
}

// isHex reports whether the text is hexadecimal with letters of one case, and has both letters and digits.
func (m makeup) isHex() bool {
	return m.hexOnly && m.digits > 0 && m.upper+m.lower > 0 && (m.upper == 0 || m.lower == 0)
}

// isRandom reports whether the text has about 16 or more letters and digits but no words, so that a machine drew it
// from an alphabet of more than 16 characters.
func (m makeup) isRandom() bool {
	letters, isMixed := m.upper+m.lower, m.upper > 0 && m.lower > 0
	if letters+m.digits < 16 || m.digits == 0 || letters < 6 || m.isHex() {
		return false
	}
	if m.lower == 0 && m.others == 0 { // names in capitals have "_" in them
		return m.changes >= 4 && m.common*5 <= m.pairs*4 || m.pairs >= 14 && m.common*3 <= m.pairs*2
	}
	// may reports whether at most common % of the pairs of letters are common in words, and the class changes at least once in each characters.
	may := func(common, each int) bool {
		return m.common*100 <= m.pairs*common && m.changes*each >= letters+m.digits
	}
	if !isMixed {
		return may(55, 5)
	}
	return may(55, 6) || may(65, 3) || m.length >= 30 && m.digits >= 3 && may(70, 8)
}

// isUUID reports whether s has the form of a UUID: 8-4-4-4-12 hexadecimal digits.
func isUUID(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' && strings.Count(s, "-") == 4 && !strings.Contains(s, ":") && isHexWith(s)
}

// isHexWith reports whether s consists of hexadecimal digits, "-" and ":".
func isHexWith(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF-:") == "" }

// isChainKey reports whether s has the form of a blockchain account's private key.
func isChainKey(s string) bool { return len(s) == 66 && s[:2] == "0x" && makeupOf(s[2:]).isHex() }

// isOdd reports whether a text may be a password and is not a word of a sentence: letters together with digits, or
// with signs that no sentence has inside a word.
func isOdd(s string) bool {
	technical := startOf(technicalWords, s) // words with digits that stand where a password could
	if len(s) < 6 || isPlaceholder(s) || technical != "" && len(s) <= len(technical)+6 || s[0] == '!' && isName(s[1:]) {
		return false
	}
	if bare := strings.TrimRight(s, "?!"); isName(bare) && digitsIn(bare) == 0 {
		return false // the end of a sentence
	}
	if strings.ContainsAny(s, "()[]<>{}:;,") || strings.ContainsAny(s, `/\`) && !isMachineMade(s) {
		return false
	}
	hasSign := strings.ContainsAny(s, "!@#$%^&*+=?~")
	return strings.ContainsAny(s, alphabet) && (hasSign || strings.ContainsAny(s, "0123456789") && !looksLikeHost(s))
}

// isChosen reports whether a text may be a password that a person chose.
func isChosen(s string) bool { return isOdd(s) && !looksLikeHost(s) }

// isStrong reports whether a text can hardly be anything but a password: capitals, small letters and digits mixed,
// or digits with a sign that only passwords have.
func isStrong(s string) bool {
	m := makeupOf(s)
	return isChosen(s) && !strings.Contains(s, " ") && (m.upper > 0 && m.lower > 0 && m.digits > 0 && (m.changes > 2 || m.changes > 1 && m.others > 0) ||
		m.digits > 0 && strings.ContainsAny(s, "!@#$%^&*+?~"))
}

// fitsKind reports whether a text may be a secret of a kind: chosen for Password, otherwise machine-made.
func fitsKind(kind, text string) bool {
	if kind == Password {
		return isChosen(text)
	}
	return isMachineMade(text)
}

// looksLikeHost reports whether s looks like db1.acme.io, file2.txt or v1.2.3.
func looksLikeHost(s string) bool {
	tail := s[strings.LastIndexByte(s, '.')+1:]
	if tail == s || tail == "" || len(tail) > 5 || !allDigits(tail) && digitsIn(tail) > 0 {
		return false
	}
	m := makeupOf(s)
	return (m.upper == 0 || m.digits == 0) && spanOf(s, 0, dotted) == len(s)
}

// isSetting reports whether a text has the form name=value.
func isSetting(text string) bool {
	name, value, ok := strings.Cut(text, "=")
	return ok && !strings.ContainsAny(value, "~^*!%") && (value != "" || digitsIn(name) == 0) &&
		isName(strings.ReplaceAll(strings.TrimLeft(name, "- "), "-", "_"))
}

// isSealed reports whether a value is already encrypted, by sops or as a sealed secret of Kubernetes.
func isSealed(before, value string) bool {
	return strings.Contains(before, "ENC[") || len(value) >= 100 && strings.HasPrefix(value, "Ag")
}

// isMachineMade reports whether s looks like an issued key: random text, a long hexadecimal number or a UUID.
func isMachineMade(s string) bool {
	if len(s) < 16 || isPlaceholder(s) || hasGroups(s, 2, ':') && isHexWith(s) { // a fingerprint or a device's address: 6C:1E:B1:...
		return false
	}
	m := makeupOf(window(s, decisionWindow))
	return m.isRandom() || m.isHex() && m.length >= 20 || isUUID(s) || isGrouped(s, m)
}

// isGrouped reports whether s is groups of letters and digits with "-" between, of equal length from four to eight.
func isGrouped(s string, m makeup) bool {
	each := strings.IndexByte(s, '-')
	return each >= 4 && each <= 8 && m.changes >= 2 && m.digits >= 2 && (len(s)+1)%(each+1) == 0 && hasGroups(s, each, '-')
}

// hasGroups reports whether s consists of groups of letters and digits, each bytes long and separated by sign.
func hasGroups(s string, each int, sign byte) bool {
	for i := range len(s) {
		if isSign := i%(each+1) == each; isSign && s[i] != sign || !isSign && !isAlnum(s[i]) {
			return false
		}
	}
	return true
}

// isRandomKey reports whether s is a key and not only a hexadecimal number, as hashes and UUIDs are.
func isRandomKey(s string) bool { return isMachineMade(s) && makeupOf(s).isRandom() }

// isDrawn reports whether the rest of a token is neither words nor a placeholder.
func isDrawn(s string) bool {
	s = window(s, 64)
	m := makeupOf(strings.ReplaceAll(s, "-", ""))
	switch {
	case isPlaceholder(s):
		return false
	case m.hexOnly:
		return m.digits >= 4
	case m.digits < 2:
		return m.upper > 0 && m.lower > 0 && m.changes >= 3 && m.length >= 16 && m.common*3 < m.pairs*2
	}
	return m.changes >= 3 && (m.pairs < 6 || m.common*4 <= m.pairs*3)
}

// markerStart begins the marker that replaces a secret.
const markerStart = "[redacted:"

// isPlaceholder reports whether a value only stands for a secret.
func isPlaceholder(value string) bool {
	if value == "" || isReference(value) || strings.Trim(value, value[:1]) == "" || isElsewhere(value) {
		return true
	}
	if bare := strings.TrimRight(value, "!?,;"); len(value) < 14 && hasFolded(noValues, bare) {
		return true
	}
	return holdsPlaceholder(value) || startOf(placeholderStarts, value) != ""
}

// holdsPlaceholder reports whether a value contains one of the words that people write instead of a secret.
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

// isElsewhere reports whether a value names the place of a secret: op://vault/item/field, or [API_KEY] in instructions.
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

// isReference reports whether a value refers to another: $VAR, $(command), %VAR%, {name}, :name, <name>, an address, a path.
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
	case ':': // a parameter of an SQL statement
		return isName(value[1:])
	}
	return false
}

// isVariable reports whether s, the text after "$", begins with a variable's name, perhaps with an index or member.
func isVariable(s string) bool {
	end := 0
	for end < len(s) && (isAlnum(s[end]) || s[end] == '_') {
		end++
	}
	return isName(s[:end]) && (end == len(s) || strings.IndexByte("[-.(:,)}/\"'", s[end]) >= 0)
}

// isPath reports whether a value is an absolute path, such as the value of PWD.
func isPath(value string) bool {
	return strings.HasPrefix(value, "/") && strings.Count(value, "/") > 1 && strings.Trim(value, alphabet+"0123456789-_./:") == ""
}

// isCode reports whether an unquoted value is an expression: a call, an index, a list, or names joined by dots.
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
	return strings.Count(rest, ".") > 0 && isDottedName(value) && digitsIn(value) < 3 && digitsIn(first) == 0 &&
		digitsIn(rest[strings.LastIndexByte(rest, '.'):]) == 0
}

// namesItself reports whether a value is a name that in code refers to a value: form.password1, Password2Type.
func namesItself(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if digitsIn(last) != 1 || !isDottedName(name) {
		return false
	}
	at := strings.IndexAny(last, "0123456789")
	rest := last[at+1:]
	return (kindOfName(last[:at]) != "" || likelyKind(last[:at]) != "") &&
		(rest == "" || isLetter(rest[0]) && makeupOf(rest).common*2 > len(rest)-1)
}

// isWords reports whether a text consists of words joined by "/" or "_", such as IDENTIFIER_2, replace_with_64_random_bytes or the name of a test.
func isWords(text string, m makeup) bool {
	return m.others > 0 && strings.Trim(text, alphabet+"0123456789_/.") == "" && m.digits <= 4 && m.common*4 >= m.pairs*3
}
