package secrets

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const longestKeyword = 12

// anyPassword is the keyword for each name of a password: "Export-Passwort", "dbpassword".
var anyPassword = keyword{kind: Password, role: ofPassword}

// keywordOf returns the keyword for the word s[from:end], or nil. If another word follows, every name of a password is a keyword.
func keywordOf(s string, from, end int) *keyword {
	k := keywordAt(s[from:end])
	if k == nil && end+1 < len(s) && s[end] == ' ' && (isLetter(s[end+1]) || s[end+1] >= utf8.RuneSelf) && kindOfName(s[from:end]) == Password {
		return &anyPassword
	}
	return k
}

// keywordAt returns the keyword that equals text in any case, or nil.
func keywordAt(text string) *keyword {
	if len(text) > longestKeyword || len(text) < 2 || text[0] >= 128 {
		return nil
	}
	var folded [longestKeyword]byte
	for i := range len(text) {
		folded[i] = lower(text[i])
	}
	text = string(folded[:len(text)])
	for at := keywordsBy.first[hashOf(text)]; at != 0; at = keywordsBy.next[at] {
		if keywords[at-1].word == text {
			return &keywords[at-1]
		}
	}
	return nil
}

// foreignAt returns the non-English keyword whose first non-ASCII byte is at i, or nil.
func foreignAt(s string, i int) *foreignWord {
	for at := foreignWordsBy.first[s[i]]; at != 0; at = foreignWordsBy.next[at] {
		if w := &foreignWords[at-1]; strings.HasPrefix(s[i:], w.rest) && hasFold(s, i-len(w.before), w.before) {
			return w
		}
	}
	return nil
}

// stated finds the secret after a non-English keyword that ends at end.
func (w *foreignWord) stated(s string, end int) (span, bool) {
	if !w.joined {
		for end < len(s) && (isLetter(s[end]) || s[end] >= utf8.RuneSelf) {
			end++ // the inflected ending of the word
		}
		return w.key.stated(s, end)
	}
	stop := min(len(s), end+maxSentence)
	i := end
	for i < stop {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune(joinedParticles, r) {
			break
		}
		i += n
	}
	from := i
	for i < stop && '!' <= s[i] && s[i] <= '~' && strings.IndexByte("\"'`<>", s[i]) < 0 {
		i++
	}
	text := strings.TrimRight(s[from:i], ",.;)")
	if w.key.role == ofPassword && from > end && !w.key.fits(text, true) {
		text = anyWord(s[from:])
		return span{from, from + len(text), w.key.kind}, isForeign(text)
	}
	return span{from, from + len(text), w.key.kind}, w.key.fits(text, true)
}

// anyWord returns the word at the beginning of a text, in any script. In a script without spaces, a letter after a digit begins the next word.
func anyWord(s string) string {
	hasDigit := false
	for at, r := range window(s, decisionWindow) {
		isDigit := unicode.IsDigit(r)
		if r <= ' ' || !isDigit && !unicode.IsLetter(r) && !unicode.IsMark(r) || hasDigit && !isDigit && r >= utf8.RuneSelf {
			return s[:at]
		}
		hasDigit = hasDigit || isDigit
	}
	return window(s, decisionWindow)
}

// isForeign reports whether a word may be a password with letters that are not ASCII: it begins with letters and has two digits.
func isForeign(text string) bool {
	letters, digits, foreign := 0, 0, false
	for _, r := range text {
		switch {
		case unicode.IsDigit(r) && letters == 0: // such as 8文字以上 (8 characters or more)
			return false
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r), unicode.IsMark(r):
			letters++
			foreign = foreign || r >= utf8.RuneSelf
		case r >= utf8.RuneSelf, strings.ContainsRune("()[]<>{}:;,/\\", r):
			return false
		}
	}
	return foreign && letters >= 2 && digits >= 2 && letters+digits >= 5
}

// isFingerprint reports whether a text is a gpg key fingerprint of 40 digits.
func isFingerprint(text string) bool {
	m := makeupOf(text)
	return m.length == 40 && m.isHex() && m.upper > 0
}

// sentence finds the secret that a sentence states after the keyword s[start:end].
func (k *keyword) sentence(s string, start, end int) (span, bool) {
	switch k.role {
	case ofPhrase:
		return phrase(s, end)
	case ofPair:
		if k.word == "use" {
			found, ok := pairInWords(s, end+blanks(s, end), min(len(s), end+maxSentence))
			return found, ok && isStrong(s[found.from:found.to])
		}
		if found, ok := namedPair(s, end); ok {
			return found, true
		}
		at := end + blanks(s, end)
		w, _ := sentenceWord(s, at, min(len(s), at+maxSentence))
		return span{w.from, w.to, Token}, at > end && k.word == "login" && isMachineMade(w.in(s))
	case ofNumber:
		if !k.opens(s, start, end) {
			return span{}, false
		}
	default:
		if found, ok := k.next(s, end); ok {
			return found, true
		}
	}
	if found, ok := k.stated(s, end); ok || k.role != ofPassword {
		return found, ok
	}
	return statedBefore(s, start, end)
}

// maxBetween is the maximum number of words between a password and the later name of it: "SECRET is the new staging password".
const maxBetween = 4

// statedBefore finds the password that a sentence states before the keyword s[start:end]: "use SECRET as the password", "SECRET is the password for ci".
func statedBefore(s string, start, end int) (span, bool) {
	if next, _ := sentenceWord(s, end+blanks(s, end), len(s)); next.from == end+1 && !has("for of to on now in from there here until please", next.in(s)) {
		return span{}, false // "the password hash", "the password policy"
	}
	at, word := start, ""
	for range maxBetween {
		if at, word = wordBefore(s, at); word == "is" || word == "as" {
			break
		}
		if word == "" {
			return span{}, false
		}
	}
	to := len(strings.TrimRight(s[:at], " "))
	from := strings.LastIndexAny(s[max(0, to-maxSentence):to], " \n\t") + 1 + max(0, to-maxSentence)
	text := strings.Trim(s[from:to], "\"'`,*()“”")
	from += strings.Index(s[from:to], text)
	return span{from, from + len(text), Password}, (word == "is" || word == "as") && isStrong(text)
}

// opens reports whether the word s[start:end] before a number names a number that grants access. A PIN does; a code does if the sentence names what it opens.
func (k *keyword) opens(s string, start, end int) bool {
	_, before := wordBefore(s, len(strings.TrimRight(s[max(0, start-2):start], "_-, "))+max(0, start-2))
	if !has("code codes combination", k.word) || hasFold(s, end, " secret") || has(codeNouns, before) {
		return true
	}
	for of := range strings.FieldsSeq(window(s[end:], maxSentence/2)) {
		if hasFolded(codeNouns, strings.Trim(of, ":,.")) {
			return true
		} else if hasFolded(copulas, of) || strings.ContainsAny(of, ":=0123456789") {
			break
		}
	}
	return false
}

// next finds the secret directly after a keyword of settings: "auth alice:SECRET", "password 0 SECRET" (0 is the
// number of its encoding).
func (k *keyword) next(s string, end int) (span, bool) {
	at := end + len(startOf(": ", s[end:]))
	at += blanks(s, at)
	stop := min(len(s), end+maxSentence)
	if at == end || at >= stop {
		return span{}, false
	}
	if k.word == "auth" {
		return namedPair(s, end)
	}
	if !isDigit(s[at]) || at+1 >= stop || s[at+1] != ' ' {
		return span{}, false
	}
	w, next := sentenceWord(s, at+2, stop)
	text := w.in(s)
	return span{w.from, w.to, Password}, isOdd(text) && (next >= len(s) || s[next] == '\n' || s[next] == '\r')
}

// maxFillers is the maximum number of words between a keyword and its verb.
const maxFillers = 9

// trail is a walk from a keyword over some words to a verb and the secret after it.
type trail struct {
	*keyword
	s       string
	end, at int // end of the keyword, and position of the walk
	stop    int
	hasVerb bool // a verb, or a sign in its place, was found
	isLoose bool // the verb is only one if the secret follows: "to", "on"
	fillers int
}

// stated finds the secret that is stated after the keyword s[:end].
func (k *keyword) stated(s string, end int) (span, bool) {
	t := trail{keyword: k, s: s, end: end, at: end, stop: min(len(s), end+maxSentence)}
	if end < t.stop && (isQuote(s[end]) || s[end] == '*') {
		t.at++
	}
	for t.at < t.stop {
		switch n := t.sign(); {
		case n < 0:
			return span{}, false
		case n > 0:
			t.at += n
			continue
		}
		w, next := sentenceWord(s, t.at, t.stop)
		if found, ok := t.secretAt(w); ok {
			return found, true
		}
		if !t.passes(w.in(s)) {
			return span{}, false
		}
		t.at = next
	}
	return span{}, false
}

// secretAt returns the secret that begins with the word at the current position, if there is one.
func (t *trail) secretAt(w word) (span, bool) {
	text := w.in(t.s)
	return span{w.from, w.to, t.kind}, t.at > t.end && (t.hasVerb || t.fillers == 0) &&
		(t.fits(text, t.hasVerb) || t.hasVerb && t.role == ofPassword && t.isWhole(text, w) || t.hasVerb && t.role == ofKey && isOfWLAN(t.s, t.at) && isChosen(text))
}

// isWhole reports whether text is a password of digits, or of a quoted word, that ends the sentence.
func (t *trail) isWhole(text string, w word) bool {
	after := strings.TrimLeft(window(t.s[w.to:], 4), "\"'`”*")
	if after != "" && strings.IndexByte(".,;)\n\r", after[0]) < 0 || t.word == "passwords" {
		return false
	}
	return allDigits(text) && len(text) > 3 && len(text) <= 12 || w.isQuoted && isPlainPassword(text)
}

// sign returns the length of the sign or space at the current position, 0 for a word, -1 at the end of the sentence.
func (t *trail) sign() int {
	switch c := t.s[t.at]; c {
	case ':', '?', '=':
		t.hasVerb = true
		return 1
	case '-':
		if t.at+1 < t.stop && t.s[t.at+1] == '>' {
			t.hasVerb = true
			return 2
		}
	case '\n', '>':
		if !t.hasVerb {
			return -1
		}
		return 1
	case '*':
		if strings.HasPrefix(t.s[t.at:], "****") { // a masked value
			return -1
		}
		return 1
	case '|', ' ', '\t', '\r':
		return 1
	case '(':
		return cmp.Or(strings.IndexByte(window(t.s[t.at:t.stop], maxNear), ')')+1, -1)
	case ',':
		if t.at == t.end {
			return 1 // "the password, since the move, is"
		}
		return -1
	case '.', ';', ')':
		return -1
	}
	return 0
}

// passes reports whether the search for the secret goes on after this word, which is not the secret.
func (t *trail) passes(text string) bool {
	low := strings.ToLower(strings.TrimRight(text, ":?"))
	switch {
	case has(copulas, low) || low == "by" && t.word == "identified":
		t.hasVerb, t.isLoose = true, has(prepositions, low)
	case isAgainst(low) || t.hasVerb && !t.isLoose && !has(intensifiers, low):
		return false
	case t.word != "identified" && t.fillers == 0 && has(otherVerbs, low):
		return false
	default:
		t.fillers++
		t.hasVerb = t.hasVerb && has(intensifiers, low) || strings.HasSuffix(text, ":") || strings.HasSuffix(text, "?")
	}
	return t.fillers <= maxFillers
}

func isAgainst(text string) bool {
	k := keywordAt(text)
	return k != nil && k.role == against
}

// fits reports whether a word may be the secret of the keyword.
func (k *keyword) fits(text string, hasVerb bool) bool {
	bare := strings.TrimRight(text, ":")
	switch k.role {
	case ofPassword:
		if k.word == "passphrase" && strings.Count(bare, "-") >= 3 && strings.Trim(bare, alphabet+"-") == "" {
			return true
		}
		return hasVerb && isForeign(strings.Trim(bare, "«»„“”‘’「」『』")) || isPasswordInText(text, bare, hasVerb)
	case ofKey:
		return isMachineMade(bare) && startOf("sha256: 0x", bare) == "" && !isFingerprint(bare) || isChainKey(bare)
	case ofNumber:
		return k.fitsDigits(text, hasVerb) || hasVerb && k.word != "pin" && len(bare) <= 40 && isChosen(bare) // "pin 13 is GPIO27" is a contact
	}
	return false
}

// isPasswordInText reports whether a word may be a password in a sentence. bare is the word without a final colon.
func isPasswordInText(text, bare string, hasVerb bool) bool {
	return isOdd(bare) && strings.TrimSpace(text) == text && !isSealed("", bare) && (!strings.Contains(text, " ") || isSaying(text)) &&
		!namesItself(bare) && (hasVerb || !isSetting(bare))
}

// fitsDigits reports whether a text is a code of digits. The code of a card, a phone or a door needs no verb before it.
func (k *keyword) fitsDigits(text string, hasVerb bool) bool {
	n := digitsIn(text)
	return n > 0 && strings.Trim(text, "0123456789-#*") == "" && (n > 2 && n <= 10 && (hasVerb || n > 3 && k.word != "pin") || n <= 4 && (k.word == "cvv" || k.word == "cvc"))
}
