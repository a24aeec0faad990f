package secrets

import "strings"

// makeup holds the counts that decide whether a text is random or made of words.
type makeup struct {
	length, digits, upper, lower, others int
	hexOnly                              bool
	pairs, common                        int // pairs of letters, and those of words
	changes                              int // between digits and letters, and capitals and small letters but for those that begin a word
}

// class is the class of a byte: none is for signs.
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

// isHex reports digits and letters a to f of one case, some of each.
func (m makeup) isHex() bool {
	return m.hexOnly && m.digits > 0 && m.upper+m.lower > 0 && (m.upper == 0 || m.lower == 0)
}

// isRandom reports a text of some 16 or more letters and digits without words: a machine drew it
// from an alphabet of more than 16.
func (m makeup) isRandom() bool {
	letters, isMixed := m.upper+m.lower, m.upper > 0 && m.lower > 0
	if letters+m.digits < 16 || m.digits == 0 || letters < 6 || m.isHex() {
		return false
	}
	if m.lower == 0 && m.others == 0 { // names in capitals have "_" in them
		return m.changes >= 4 && m.common*5 <= m.pairs*4 || m.pairs >= 14 && m.common*3 <= m.pairs*2
	}
	// may reports that few pairs are those of words, by a percentage, and that the class
	// changes often enough: once in so many letters and digits.
	may := func(common, each int) bool {
		return m.common*100 <= m.pairs*common && m.changes*each >= letters+m.digits
	}
	if !isMixed {
		return may(55, 5)
	}
	return may(55, 6) || may(65, 3) || m.length >= 30 && m.digits >= 3 && may(70, 8)
}

// isUUID reports 8-4-4-4-12 hexadecimal digits.
func isUUID(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' && strings.Count(s, "-") == 4 && !strings.Contains(s, ":") && isHexWith(s)
}

// isHexPairs reports 6C:1E:B1:..., as fingerprints and addresses of devices are written.
func isHexPairs(s string) bool { return ofGroups(s, 2, ':') && isHexWith(s) }

// isHexWith reports hexadecimal digits and signs: "-", ":".
func isHexWith(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF-:") == "" }

// isChainKey reports the private key of a block chain's account.
func isChainKey(s string) bool { return len(s) == 66 && s[:2] == "0x" && makeupOf(s[2:]).isHex() }

// isOdd reports that a text may be a password and is no word of a sentence: letters
// together with digits, or with signs that no sentence has inside a word.
func isOdd(s string) bool {
	technical := startOf(technicalWords, s) // with digits, where a password could stand
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

// isChosen reports that a text may be a password that a person chose.
func isChosen(s string) bool { return isOdd(s) && !isUnit(s) && !looksLikeHost(s) }

// isStrong reports a password that can hardly be anything else: capitals, small letters and digits
// mixed, or letters with a sign that only passwords have.
func isStrong(s string) bool {
	m := makeupOf(s)
	return isChosen(s) && !strings.Contains(s, " ") && (m.upper > 0 && m.lower > 0 && m.digits > 0 && (m.changes > 2 || m.changes > 1 && m.others > 0) ||
		m.digits > 0 && strings.ContainsAny(s, "!@#$%^&*+?~"))
}

// fitsKind reports that a text may be a secret of a kind: a password that a person chose,
// or a key that a machine made.
func fitsKind(kind, text string) bool {
	if kind == Password {
		return isChosen(text)
	}
	return isMachineMade(text)
}

// looksLikeHost recognises db1.acme.io, file2.txt and v1.2.3.
func looksLikeHost(s string) bool {
	tail := s[strings.LastIndexByte(s, '.')+1:]
	if tail == s || tail == "" || len(tail) > 5 || !allDigits(tail) && digitsIn(tail) > 0 {
		return false
	}
	m := makeupOf(s)
	return (m.upper == 0 || m.digits == 0) && spanOf(s, 0, dotted) == len(s)
}

// isUnit recognises 12-character, 30days, 2024-01-01.
func isUnit(s string) bool {
	unit := strings.TrimLeft(s, "0123456789-:./")
	return len(unit) < len(s) && strings.Trim(unit, alphabet+"-%") == "" && (len(unit) <= 2 || makeupOf(unit).common > 0)
}

// isSetting recognises name=value.
func isSetting(text string) bool {
	name, value, ok := strings.Cut(text, "=")
	return ok && !strings.ContainsAny(value, "~^*!%") && (value != "" || digitsIn(name) == 0) &&
		isName(strings.ReplaceAll(strings.TrimLeft(name, "- "), "-", "_"))
}

// isSealed reports that a value is encrypted already, by sops or as a sealed secret
// of Kubernetes.
func isSealed(before, value string) bool {
	return strings.Contains(before, "ENC[") || len(value) >= 100 && strings.HasPrefix(value, "Ag")
}

// isMachineMade reports text that a program issues as a key: random text, a
// long hexadecimal number, a UUID.
func isMachineMade(s string) bool {
	if len(s) < 16 || isPlaceholder(s) || isHexPairs(s) {
		return false
	}
	m := makeupOf(window(s, decisionWindow))
	return m.isRandom() || m.isHex() && m.length >= 20 || isUUID(s) || isGrouped(s, m)
}

// isGrouped reports groups of four to eight letters and digits of one length, with "-" between.
func isGrouped(s string, m makeup) bool {
	each := strings.IndexByte(s, '-')
	return each >= 4 && each <= 8 && m.changes >= 2 && m.digits >= 2 && (len(s)+1)%(each+1) == 0 && ofGroups(s, each, '-')
}

// ofGroups reports letters and digits with a sign behind each so many.
func ofGroups(s string, each int, sign byte) bool {
	for i := range len(s) {
		if isSign := i%(each+1) == each; isSign && s[i] != sign || !isSign && !isAlnum(s[i]) {
			return false
		}
	}
	return true
}

// isRandomKey reports a key that is more than a number: no hash, no UUID.
func isRandomKey(s string) bool { return isMachineMade(s) && makeupOf(s).isRandom() }

// isDrawn reports that the rest of a token is neither words nor a placeholder.
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

// markerStart begins the text that takes the place of a secret.
const markerStart = "[redacted:"

// isPlaceholder recognises a text that stands in the place of a secret.
func isPlaceholder(value string) bool {
	if value == "" || isReference(value) || strings.Trim(value, value[:1]) == "" || isElsewhere(value) {
		return true
	}
	if bare := strings.TrimRight(value, "!?,;"); len(value) < 14 && hasFolded(noValues, bare) {
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

// isPath recognises an absolute path, such as the value of PWD.
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
	return strings.Count(rest, ".") > 0 && isDottedName(value) && digitsIn(value) < 3 && digitsIn(first) == 0 &&
		digitsIn(rest[strings.LastIndexByte(rest, '.'):]) == 0
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
	return (kindOfName(last[:at]) != "" || likelyKind(last[:at]) != "") &&
		(rest == "" || isLetter(rest[0]) && makeupOf(rest).common*2 > len(rest)-1)
}

// isWords recognises words with "/" or "_" between, such as IDENTIFIER_2,
// replace_with_64_random_bytes and the name of a test.
func isWords(text string, m makeup) bool {
	return m.others > 0 && strings.Trim(text, alphabet+"0123456789_/") == "" && m.digits <= 4 && m.common*4 >= m.pairs*3
}
