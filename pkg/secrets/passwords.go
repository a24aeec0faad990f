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
	hasSign := strings.ContainsAny(s, "!@#$%^&*+=?~")
	return strings.ContainsAny(s, alphabet) && (hasSign || strings.ContainsAny(s, "0123456789") && !looksLikeHost(s))
}

// isChosen reports that a text may be a password that a person chose.
func isChosen(s string) bool { return isOdd(s) && !isUnit(s) && !looksLikeHost(s) }

// fitsKind reports that a text may be a secret of a kind: a password that a person chose,
// or a key that a machine made.
func fitsKind(kind, text string) bool {
	if kind == Password {
		return isChosen(text)
	}
	return isMachineMade(text)
}

// isTechnical recognises words with digits in them that stand where a password could.
func isTechnical(s string) bool {
	word := startOf(technicalWords, s)
	return word != "" && len(s) <= len(word)+6
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
	return ok && !strings.ContainsAny(value, "~^*!%") && (value != "" || digitsIn(name) == 0) && isName(strings.ReplaceAll(strings.TrimLeft(name, "- "), "-", "_"))
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
