package secrets

import "strings"

// isOdd reports that a text may be a password and is no word of a sentence: letters
// together with digits, or with signs that no sentence has inside a word.
func isOdd(s string) bool {
	if len(s) < 6 || isPlaceholder(s) || isTechnical(s) || s[0] == '!' && isName(s[1:]) {
		return false
	}
	if bare := strings.TrimRight(s, "?!"); isName(bare) && digitsIn(bare) == 0 {
		return false // the end of a sentence
	}
	if strings.ContainsAny(s, "()[]<>{}:;,") || strings.ContainsAny(s, `/\`) && !isMachineMade(s) {
		return false
	}
	letters, digits, signs, dots := 0, 0, 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c):
			digits++
		case isLetter(c):
			letters++
		case c == '.':
			dots++
		case strings.IndexByte("!@#$%^&*+=?~", c) >= 0:
			signs++
		}
	}
	if dots > 0 && signs == 0 && (letters < 4 || looksLikeHost(s)) {
		return false
	}
	return letters > 0 && digits+signs > 0 || digits > 0 && signs > 1
}

// isChosen reports that a text may be a password that a person chose.
func isChosen(s string) bool { return isOdd(s) && !isUnit(s) && !looksLikeHost(s) }

// isTechnical recognises words with digits in them that stand where a password could.
func isTechnical(s string) bool {
	word := startOf(technicalWords, s)
	return word != "" && len(s) <= len(word)+6 && !isLetterAt(s, len(word)+3)
}

func isLetterAt(s string, i int) bool { return i < len(s) && isLetter(s[i]) }

// looksLikeHost recognises db1.acme.io, file2.txt and v1.2.3.
func looksLikeHost(s string) bool {
	if m := makeupOf(s); m.upper > 0 && m.digits > 0 {
		return false
	}
	tail := s[strings.LastIndexByte(s, '.')+1:]
	if tail == "" || len(tail) > 5 || !allDigits(tail) && strings.ContainsAny(tail, "0123456789") {
		return false
	}
	for i := range len(s) {
		if sets[s[i]]&dotted == 0 {
			return false
		}
	}
	return true
}

// isUnit recognises 12-character, 30days, 2024-01-01T00:00:00Z.
func isUnit(s string) bool {
	i := 0
	for i < len(s) && (isDigit(s[i]) || strings.IndexByte("-:./", s[i]) >= 0) {
		i++
	}
	if i == 0 || i == len(s) {
		return i == len(s) && strings.ContainsAny(s, "-:./")
	}
	for j := i; j < len(s); j++ {
		inTime := s[i] == 'T' && (isDigit(s[j]) || s[j] == ':' || s[j] == '.')
		if !isLetter(s[j]) && s[j] != '-' && s[j] != '%' && !inTime {
			return false
		}
	}
	return len(s)-i > 2 && makeupOf(s[i:]).common > 0 || s[i] == 'T' || len(s)-i <= 2
}

// isSetting recognises name=value.
func isSetting(text string) bool {
	name, value, ok := strings.Cut(text, "=")
	return ok && !strings.ContainsAny(value, "~^*!%") && (value != "" || digitsIn(name) == 0) && isName(strings.ReplaceAll(strings.TrimLeft(name, "- "), "-", "_"))
}

// isMixed recognises a password that has neither digits nor signs: capitals inside a
// word that is none.
func isMixed(text string) bool {
	if len(text) < 10 || strings.Trim(text, alphabet+"-_") != "" || isPlaceholder(text) {
		return false
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '-' || r == '_' }) {
		if m := makeupOf(part); m.length >= 5 && m.upper >= 2 && m.lower >= 2 && m.changes >= 2 && m.common*2 <= m.pairs {
			return true
		}
	}
	return false
}

// isShortKey reports letters of both cases and digits that are in no word.
func isShortKey(s string) bool {
	m := makeupOf(s)
	return m.others == 0 && m.digits > 0 && m.upper > 1 && m.lower > 1 && m.changes >= 2 && !isPlaceholder(s)
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
	return m.isRandom() || m.isHex() && m.length >= 20 || isUUID(s)
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
