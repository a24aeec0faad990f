package secrets

import (
	"cmp"
	"strings"
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
	if w.key.fits(text, true) || from == end || w.key.role != ofPassword {
		return span{from, from + len(text), w.key.kind}, w.key.fits(text, true)
	}
	to := foreignEnd(s, from)
	return span{from, to, w.key.kind}, isForeign(s[from:to])
}

// quotesOfText lists typographic quotation marks.
const quotesOfText = "«»„“”‘’「」『』"

// foreignEnd returns the end of the word at i, in any script. After a digit, the next letter of another script ends the word: there a sentence without spaces goes on.
func foreignEnd(s string, i int) int {
	end, digits := i, false
	for at, r := range window(s[i:], decisionWindow) {
		isDigit := isDigitOf(r)
		if r <= ' ' || strings.ContainsRune("，。、；！？）」』”》\"'`<>|", r) || digits && !isDigit &&
			(r >= utf8.RuneSelf || r == ',' || r == '.') {
			break
		}
		digits = digits || isDigit
		end = i + at + utf8.RuneLen(r)
	}
	return end
}

// isDigitOf reports whether r is a decimal digit in one of the scripts with their own digits.
func isDigitOf(r rune) bool {
	for _, zero := range [...]rune{'0', '０', '٠', '۰', '०', '০', '๐'} {
		if zero <= r && r < zero+10 {
			return true
		}
	}
	return false
}

// isFingerprint reports whether a text is a gpg key fingerprint of 40 digits.
func isFingerprint(text string) bool {
	m := makeupOf(text)
	return m.length == 40 && m.isHex() && m.upper > 0
}

// isForeign reports whether a word may be a password with non-ASCII letters: it begins with letters and has two digits.
func isForeign(text string) bool {
	letters, digits, foreign := 0, 0, false
	for _, r := range text {
		switch {
		case isDigitOf(r):
			if letters == 0 {
				return false // such as 8文字以上 (8 characters or more)
			}
			digits++
		case r >= utf8.RuneSelf:
			if strings.ContainsRune("，。、；：！？（）「」『』“”«»–—…", r) {
				return false
			}
			foreign = true
			letters++
		case isLetter(byte(r)):
			letters++
		case strings.ContainsRune("()[]<>{}:;,/\\", r):
			return false
		}
	}
	return foreign && letters >= 2 && digits >= 2 && letters+digits >= 5
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
		if found, ok := k.next(s, start, end); ok {
			return found, true
		}
	}
	return k.stated(s, end)
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
// number of its encoding), "app password: abcd efgh ijkl mnop".
func (k *keyword) next(s string, start, end int) (span, bool) {
	if _, before := wordBefore(s, start); before == "app" && strings.HasPrefix(s[end:], ": ") {
		if all, to := groupsOfFour(s, end+2); len(all) == 16 { // the form of Google's app passwords
			return span{end + 2, to, Password}, true
		}
	}
	at := end + len(startOf(": ", s[end:]))
	at += blanks(s, at)
	stop := min(len(s), end+maxSentence)
	if at == end || at >= stop {
		return span{}, false
	}
	if k.word == "auth" {
		if found, ok := namedPair(s, end); ok {
			return found, true
		}
		w, _ := sentenceWord(s, at, stop)
		return chosenPair(s, w.from, w.to)
	}
	if !isDigit(s[at]) || at+1 >= stop || s[at+1] != ' ' {
		return span{}, false
	}
	w, next := sentenceWord(s, at+2, stop)
	text := w.in(s)
	return span{w.from, w.to, Password}, isOdd(text) && !isUnit(text) && (next >= len(s) || s[next] == '\n' || s[next] == '\r')
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
	if t.hasVerb && t.role == ofKey {
		if all, to := groupsOfFour(t.s, t.at); len(all) >= 16 && isOdd(all) {
			return span{t.at, to, t.kind}, true
		}
	}
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
		if n := lineBetween(t.s[t.at:]); n > 0 {
			t.hasVerb = true
			return n
		}
		if !t.hasVerb {
			return -1
		}
		return 1
	case '|', '*', ' ', '\t', '\r':
		return 1
	case '(':
		return cmp.Or(strings.IndexByte(window(t.s[t.at:t.stop], maxComment), ')')+1, -1)
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

// lineBetween returns the length of what stands between a name and the value on a line below it, such as an underline or
// an equals sign at the line's beginning, or 0. The text begins with the end of the name's line.
func lineBetween(s string) int {
	rest := strings.TrimLeft(s, "\n\r \t")
	signs := len(rest) - len(strings.TrimLeft(rest, "-="))
	isLine := strings.HasPrefix(rest[signs:], "\n") && signs > 2
	if !isLine && (signs != 1 || rest[0] != '=') {
		return 0
	}
	return len(s) - len(rest) + signs + strings.Count(rest[signs:min(signs+1, len(rest))], "\n")
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
		return hasVerb && isForeign(strings.Trim(bare, quotesOfText)) || isPasswordInText(text, bare, hasVerb)
	case ofKey:
		return isMachineMade(bare) && startOf("sha256: 0x", bare) == "" && !isFingerprint(bare) || isChainKey(bare)
	case ofNumber:
		return k.fitsDigits(text, hasVerb) || hasVerb && k.word != "pin" && codeForm(bare) != "" && isChosen(bare) // "pin 13 is GPIO27" is a contact
	}
	return false
}

// isPasswordInText reports whether a word may be a password in a sentence. bare is the word without a final colon.
func isPasswordInText(text, bare string, hasVerb bool) bool {
	return isOdd(bare) && !isUnit(bare) && strings.TrimSpace(text) == text && !isSealed("", bare) && (!strings.Contains(text, " ") || isSaying(text)) &&
		!namesItself(bare) && (hasVerb || !isSetting(bare))
}

// fitsDigits reports whether a text is a code of digits. The code of a card, a phone or a door needs no verb before it.
func (k *keyword) fitsDigits(text string, hasVerb bool) bool {
	n := digitsIn(text)
	return n > 0 && strings.Trim(text, "0123456789-#*") == "" && (n > 2 && n <= 10 && (hasVerb || n > 3 && k.word != "pin") || n <= 4 && (k.word == "cvv" || k.word == "cvc"))
}

// statedBefore finds the secret in "X is the password" and "with X as the token". The keyword begins at start.
func (k *keyword) statedBefore(s string, start int) (span, bool) {
	from, text := wordBefore(s, start)
	for range 2 {
		if has("the my your our api access secret", text) || k.role == ofNumber && has(codeNouns, text) {
			from, text = wordBefore(s, from)
		}
	}
	if text != "as" && text != "is" {
		return span{}, false
	}
	to := len(strings.TrimRight(s[max(0, from-decisionWindow):from], " ")) + max(0, from-decisionWindow)
	if to > 0 && isQuote(s[to-1]) {
		to--
	}
	from = to
	for from > 0 && to-from < decisionWindow && !isBlank(s[from-1]) && !isQuote(s[from-1]) && s[from-1] != '(' {
		from--
	}
	return span{from, to, k.kind}, k.may(s[from:to])
}

// may reports whether an unquoted text may be the secret of the keyword.
func (k *keyword) may(text string) bool {
	switch k.role {
	case ofPassword:
		return isChosen(text)
	case ofNumber:
		return len(text) > 3 && k.fitsDigits(text, true)
	}
	return isRandomKey(text)
}

// maxComment is the maximum length in bytes of a comment that only names the text before it.
const maxComment = 60

// commented finds the last word or string before a comment about it. The comment's keyword begins at start.
func (k *keyword) commented(s string, start int) (span, bool) {
	at := start
	for at > 0 && start-at < maxComment && strings.IndexByte("\n\"'`=:", s[at-1]) < 0 && !marksComment(s, at) {
		at--
	}
	if !marksComment(s, at) || strings.IndexByte(window(s[start:], maxComment)+"\n", '\n') < 0 {
		return span{}, false
	}
	from, to, isQuoted := lastWord(s, at)
	text := strings.TrimSuffix(strings.TrimSuffix(s[from:to], `\r`), `\n`)
	if k.role == ofPassword && !isQuoted {
		return span{}, false
	}
	isSum := containsFold(s[max(0, from-24):from], "sha") || containsFold(s[max(0, from-24):from], "md5")
	return span{from, from + len(text), k.kind}, k.may(text) || isQuoted && k.role == ofKey && isMachineMade(text) && !isSum
}

// lastWord returns the range of the last word or string before the comment whose text begins at i.
func lastWord(s string, i int) (from, to int, isQuoted bool) {
	to = len(strings.TrimRight(s[max(0, i-decisionWindow):i], "#/-;,) \t")) + max(0, i-decisionWindow)
	if at := strings.LastIndex(s[max(0, to-maxComment):to], `".`); at >= 0 && s[to-1] == '(' {
		to += at + 1 - min(maxComment, to) // "...".toCharArray()
	}
	isQuoted = to > 0 && isQuote(s[to-1])
	if isQuoted {
		to--
	}
	from = len(strings.TrimRight(s[:to], "="))
	for from > 0 && to-from < decisionWindow && !isBlank(s[from-1]) && !isQuote(s[from-1]) &&
		(isQuoted || s[from-1] != '(' && s[from-1] != '=') {
		from--
	}
	return from, to, isQuoted
}

// marksComment reports whether a comment's text begins at i.
func marksComment(s string, i int) bool {
	for i > 0 && s[i-1] == ' ' {
		i--
	}
	if i < 2 || i > 2 && !isBlank(s[i-2]) && !isBlank(s[i-3]) {
		return false
	}
	return s[i-1] == '#' || s[i-1] == '/' && s[i-2] == '/' || s[i-1] == '-' && s[i-2] == '-'
}
