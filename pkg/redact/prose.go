package redact

import (
	"strings"
	"unicode/utf8"
)

// keyword is a word after which a secret may stand in a sentence.
type keyword struct {
	word string
	kind string
	role role
}

type role uint8

const (
	noRole     role = iota
	ofPassword      // an odd word may follow
	ofKey           // something that a machine made may follow
	ofPair          // a name and a password may follow
	ofNumber        // some digits may follow
	ofPhrase        // a dozen words may follow
	against         // what follows is made by a machine and no secret
)

var keywords = [...]keyword{
	{"password", Password, ofPassword},
	{"passwords", Password, ofPassword},
	{"passwd", Password, ofPassword},
	{"pwd", Password, ofPassword},
	{"pw", Password, ofPassword},
	{"pass", Password, ofPassword},
	{"passphrase", Password, ofPassword},
	{"passcode", Password, ofPassword},
	{"passwort", Password, ofPassword},
	{"kennwort", Password, ofPassword},
	{"contrase", Password, ofPassword}, // the rest of "contraseña" is another word here
	{"passe", Password, ofPassword},
	{"mdp", Password, ofPassword},
	{"senha", Password, ofPassword},
	{"wachtwoord", Password, ofPassword},
	{"clave", Password, ofPassword},
	{"parola", Password, ofPassword},
	{"heslo", Password, ofPassword},
	{"haslo", Password, ofPassword},
	{"passord", Password, ofPassword},
	{"adgangskode", Password, ofPassword},
	{"salasana", Password, ofPassword},
	{"lozinka", Password, ofPassword},
	{"passwordless", "", against},
	{"psk", Password, ofPassword},
	{"identified", Password, ofPassword},
	{"key", APIKey, ofKey},
	{"keys", APIKey, ofKey},
	{"apikey", APIKey, ofKey},
	{"api", APIKey, ofKey},
	{"token", Token, ofKey},
	{"tokens", Token, ofKey},
	{"pat", Token, ofKey},
	{"jwt", Token, ofKey},
	{"bearer", Authorization, ofKey},
	{"basic", Authorization, ofKey},
	{"secret", Secret, ofKey},
	{"secrets", Secret, ofKey},
	{"auth", Token, ofKey},
	{"authtoken", Token, ofKey},
	{"authkey", Token, ofKey},
	{"webhook", Secret, ofKey},
	{"wif", PrivateKey, ofKey},
	{"otp", Secret, ofNumber},
	{"pin", Secret, ofNumber},
	{"cvv", Secret, ofNumber},
	{"cvc", Secret, ofNumber},
	{"code", Secret, ofNumber},
	{"codes", Secret, ofNumber},
	{"credentials", Password, ofPair},
	{"credential", Password, ofPair},
	{"creds", Password, ofPair},
	{"login", Password, ofPair},
	{"logins", Password, ofPair},
	{"log", Password, ofPair},
	{"logon", Password, ofPair},
	{"mnemonic", Secret, ofPhrase},
	{"seed", Secret, ofPhrase},
	{"phrase", Secret, ofPhrase},
	{"recovery", Secret, ofPhrase},
	{"words", Secret, ofPhrase},
	{"hash", "", against},
	{"hashes", "", against},
	{"commit", "", against},
	{"sha", "", against},
	{"sha1", "", against},
	{"sha256", "", against},
	{"sha512", "", against},
	{"md5", "", against},
	{"digest", "", against},
	{"checksum", "", against},
	{"fingerprint", "", against},
	{"integrity", "", against},
	{"etag", "", against},
	{"public", "", against},
	{"cache", "", against},
	{"id", "", against},
	{"ids", "", against},
	{"uuid", "", against},
	{"revision", "", against},
	{"rev", "", against},
	{"primary", "", against},
	{"foreign", "", against},
	{"trusted", "", against},
	{"image", "", against},
	{"trace", "", against},
	{"request", "", against},
	{"pubkey", "", against},
	{"recipient", "", against},
	{"signature", "", against},
	{"certificate", "", against},
	{"h1", "", against}, // of go.sum
}

// keywordsBy finds a keyword; keywordLengths and keywordSeconds, by first letter,
// which lengths and which second bytes they have, by the last five bits.
var (
	keywordsBy     = indexOf(len(keywords), func(i int) byte { return hashOf(keywords[i].word) })
	keywordLengths = keywordBits(func(word string) int { return len(word) })
	keywordSeconds = keywordBits(func(word string) int { return int(word[1] & 31) })
)

func keywordBits(bit func(word string) int) (table [128]uint32) {
	for i := range keywords {
		table[keywords[i].word[0]] |= 1 << bit(keywords[i].word)
	}
	return table
}

const longestKeyword = 12

// keywordAt is the keyword that the word is, in any case, or nil.
func keywordAt(word string) *keyword {
	if len(word) > longestKeyword || len(word) < 2 || word[0] >= 128 {
		return nil
	}
	if first := lower(word[0]); keywordLengths[first]&(1<<len(word)) == 0 || keywordSeconds[first]&(1<<(word[1]&31)) == 0 {
		return nil
	}
	var folded [longestKeyword]byte
	for i := range len(word) {
		folded[i] = lower(word[i])
	}
	word = string(folded[:len(word)])
	for at := keywordsBy.first[hashOf(word)]; at != 0; at = keywordsBy.next[at] {
		if keywords[at-1].word == word {
			return &keywords[at-1]
		}
	}
	return nil
}

const (
	// maxFillers is how many words may stand between a keyword and its verb.
	maxFillers = 6
	// maxSentence is how far behind a keyword a secret is looked for, in bytes.
	maxSentence = 120
)

// sentence finds the secret that a sentence tells behind the keyword s[:end].
func sentence(s string, start, end int, k *keyword) (span, bool) {
	switch k.role {
	case ofPhrase:
		return phrase(s, end)
	case ofPair:
		if span, ok := namedPair(s, end, k.word); ok {
			return span, true
		}
		at := end + blanks(s, end)
		word, _ := candidate(s, at, min(len(s), at+maxSentence))
		return span{word.from, word.to, Token}, at > end && k.word == "login" && isMachineMade(s[word.from:word.to])
	case ofPassword, ofKey:
		if k.word == "password" && followsAny(s, start, "app") {
			if span, ok := letterGroups(s, end); ok {
				return span, true
			}
		}
		if span, ok := beside(s, end, k); ok {
			return span, true
		}
	case ofNumber:
		if (k.word == "code" || k.word == "codes") && !hasFold(s, end, " secret") && !followsAny(s, start, "door access security unlock alarm backup recovery gate entry safe verification") {
			return span{}, false
		}
	}
	return told(s, end, k)
}

// followsAny reports that the word before start is one of the given.
func followsAny(s string, start int, words string) bool {
	to := start
	for to > 0 && s[to-1] == ' ' {
		to--
	}
	from := to
	for from > 0 && isLetter(s[from-1]) && to-from < 16 {
		from--
	}
	return has(words, strings.ToLower(s[from:to]))
}

const (
	copulas      = "is was are were to as = : -> => → it's its that's est es ist lautet è é jest to er är on je é: ist: это — auf zu à naar til på na"
	intensifiers = "now still just currently actually this here set changed following the called again back only not-so a an new probably"
)

// told walks from the keyword over at most maxFillers words to a verb, and takes
// the secret after the verb.
func told(s string, end int, k *keyword) (span, bool) {
	i := end
	stop := min(len(s), end+maxSentence)
	if i < stop && (s[i] == '"' || s[i] == '\'' || s[i] == '`' || s[i] == '*') {
		i++
	}
	isTold, fillers := false, 0
	for i < stop {
		switch {
		case s[i] == ':' || s[i] == '?' || s[i] == '=':
			isTold = true
			i++
			continue
		case s[i] == '-' && i+1 < stop && s[i+1] == '>':
			isTold = true
			i += 2
			continue
		case s[i] == '|' || s[i] == '*' || s[i] == '>' && isTold:
			i++
			continue
		case s[i] == '\n':
			if !isTold || k.role == ofPassword && !strings.HasSuffix(strings.TrimRight(s[end:i], " "), ":") {
				return span{}, false
			}
			i++
			continue
		case isBlank(s[i]):
			i++
			continue
		case s[i] == ',' || s[i] == '.' || s[i] == ';' || s[i] == '(' || s[i] == ')':
			return span{}, false
		}
		if to := groups(s, i); isTold && k.role == ofKey && to > i {
			return span{i, to, k.kind}, true
		}
		word, next := candidate(s, i, stop)
		text := s[word.from:word.to]
		if i > end && (isTold || fillers == 0) && k.fits(text, isTold, word.quoted) {
			return span{word.from, word.to, k.kind}, true
		}
		low := strings.ToLower(strings.TrimRight(text, ":?"))
		switch {
		case has(copulas, low) || low == "by" && k.word == "identified":
			isTold = true
		case isAgainst(low):
			return span{}, false
		case isTold && !has(intensifiers, low):
			return span{}, false
		case k.word != "identified" && has("must should can cannot may and or but not if when from in by with without via than file path", low) && fillers == 0:
			return span{}, false
		default:
			fillers++
			isTold = isTold || strings.HasSuffix(text, ":") || strings.HasSuffix(text, "?")
		}
		if fillers > maxFillers {
			return span{}, false
		}
		i = next
	}
	return span{}, false
}

func isAgainst(word string) bool {
	k := keywordAt(word)
	return k != nil && k.role == against
}

// candidate reads a word of a sentence, without the signs around it.
func candidate(s string, i, stop int) (argument, int) {
	if quote := quoteAt(s, i); quote != "" {
		from := i + len(quote)
		to := from + len(quotedText(s[from:min(len(s), stop+decisionWindow)], quote))
		return argument{from: from, to: to, quoted: true}, min(len(s), to+len(quote))
	}
	i += bracketAt(s, i)
	from := i
	for i < len(s) && i-from < maxCommand && !isBlank(s[i]) && strings.IndexByte("\"'`<>|", s[i]) < 0 && (s[i] < utf8.RuneSelf || bracketAt(s, i) == 0) {
		i++
	}
	if i < len(s) && s[i] == '\'' { // it's
		for i < len(s) && i-from < 64 && (isLetter(s[i]) || s[i] == '\'') {
			i++
		}
	}
	to := i
	for to > from+1 && strings.IndexByte(",.;)]}", s[to-1]) >= 0 {
		to--
	}
	return argument{from: from, to: to}, max(i, from+1)
}

// bracketAt is the length of the quotation mark or bracket at i that only texts for
// people have, such as „ and 「, or 0.
func bracketAt(s string, i int) int {
	if i >= len(s) || s[i] < utf8.RuneSelf {
		return 0
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if strings.ContainsRune("„“”‚‘’«»‹›「」『』（）【】《》", r) {
		return n
	}
	return 0
}

// beside finds the secret right behind a keyword of settings: "auth alice:SECRET",
// and the kind of its form between them: "password 0 SECRET".
func beside(s string, end int, k *keyword) (span, bool) {
	at := end + blanks(s, end)
	stop := min(len(s), end+maxSentence)
	if at == end || at >= stop {
		return span{}, false
	}
	if k.word == "auth" {
		word, _ := candidate(s, at, stop)
		return userAndPassword(s, word.from, word.to)
	}
	if !isDigit(s[at]) || at+1 >= stop || s[at+1] != ' ' {
		return span{}, false
	}
	word, next := candidate(s, at+2, stop)
	if text := s[word.from:word.to]; !isOdd(text) || isUnit(text) || next < len(s) && s[next] != '\n' && s[next] != '\r' {
		return span{}, false
	}
	return span{word.from, word.to, Password}, true
}

// userAndPassword takes the password of s[from:to] if that is alice:SECRET.
func userAndPassword(s string, from, to int) (span, bool) {
	user, password, ok := strings.Cut(s[from:to], ":")
	if !ok || !isName(strings.NewReplacer("-", "_", ".", "_", "@", "_").Replace(user)) || !isOdd(password) || isUnit(password) || looksLikeHost(password) {
		return span{}, false
	}
	return span{to - len(password), to, Password}, true
}

// groups is the end of four or more groups of four letters and digits at i, as
// keys are written that people have to type, or i.
func groups(s string, i int) int {
	end, n, digits, capitals, smalls := i, 0, 0, 0, 0
	for at := i; n < 16; n++ {
		if at+4 > len(s) || !isAlnum(s[at]) || !isAlnum(s[at+1]) || !isAlnum(s[at+2]) || !isAlnum(s[at+3]) || at+4 < len(s) && isAlnum(s[at+4]) {
			break
		}
		for _, b := range []byte(s[at : at+4]) {
			switch {
			case isDigit(b):
				digits++
			case b < 'a':
				capitals++
			default:
				smalls++
			}
		}
		end = at + 4
		at = end
		if at < len(s) && (s[at] == ' ' || s[at] == '-') {
			at++
		}
	}
	if n < 4 || capitals+smalls == 0 || digits < 2 && (smalls > 0 || digits == 0) {
		return i
	}
	return end
}

// letterGroups finds four groups of four letters behind ":", as Google hands out
// passwords for apps.
func letterGroups(s string, end int) (span, bool) {
	if !strings.HasPrefix(s[end:], ": ") {
		return span{}, false
	}
	const length = 4*4 + 3
	from := end + len(": ")
	text := window(s[from:], length)
	for i := range len(text) {
		if i%5 == 4 && text[i] != ' ' || i%5 != 4 && !isLetter(text[i]) {
			return span{}, false
		}
	}
	return span{from, from + len(text), Password}, len(text) == length && !isLetterAt(s, from+length)
}

// fits reports that a word may be the secret of the keyword.
func (k *keyword) fits(text string, isTold, quoted bool) bool {
	switch k.role {
	case ofPassword:
		text = strings.TrimRight(text, ":")
		if isSealed("", text) {
			return false
		}
		if k.word == "identified" && quoted && isTold {
			return len(text) >= 4 && !isPlaceholder(text)
		}
		return isOdd(text) && !isUnit(text) && (isTold || !isSetting(text)) || quoted && isTold && isOdd(text) || isTold && isMixed(text)
	case ofKey:
		text = strings.TrimRight(text, ":")
		return isMachineMade(text) && !isUnit(text)
	case ofNumber:
		return isTold && len(text) >= 3 && len(text) <= 10 && allDigits(text) || !isTold && (k.word == "cvv" || k.word == "cvc") && (len(text) == 3 || len(text) == 4) && allDigits(text) || k.word == "codes" && isOdd(text)
	}
	return false
}

// isSetting recognises name=value.
func isSetting(text string) bool {
	name, value, ok := strings.Cut(text, "=")
	return ok && !strings.ContainsAny(value, "~^*!%") && (value != "" || digitsIn(name) == 0) && isName(strings.ReplaceAll(strings.TrimLeft(name, "- "), "-", "_"))
}

// isMixed recognises what is a password though it has neither digits nor signs:
// capitals inside a word that is none.
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

const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// codeList finds codes one a line, all of one shape and at least one with digits,
// behind "codes:".
func codeList(s string, end int) []span {
	at := strings.IndexByte(window(s[end:], 80), '\n')
	if at < 0 {
		return nil
	}
	at += end + 1
	var found []span
	shape, digits := "", 0
	for len(found) < 32 && at < len(s) {
		line := restOfLine(s[at:])
		code := strings.TrimRight(strings.TrimLeft(line, " \t-*0123456789.)"), " \t\r")
		if strings.TrimLeft(line, " \t-*") != "" && !strings.ContainsAny(line, ".)") {
			code = strings.Trim(line, " \t-*\r")
		}
		is := codeShape(code)
		if is == "" || shape != "" && is != shape {
			break
		}
		shape = is
		digits += digitsIn(code)
		from := at + strings.Index(line, code)
		found = append(found, span{from, from + len(code), Secret})
		at += len(line) + 1
	}
	if len(found) < 3 || digits == 0 {
		return nil
	}
	return found
}

// codeShape is a code with each letter and digit made "x", or "" for what is none.
func codeShape(code string) string {
	if len(code) < 8 || len(code) > 40 {
		return ""
	}
	shape := []byte(code)
	for i, b := range shape {
		switch {
		case isAlnum(b):
			shape[i] = 'x'
		case b != '-':
			return ""
		}
	}
	return string(shape)
}

// moreCodes finds the codes that follow the first of a list.
func moreCodes(s string, i int) []span {
	var found []span
	for len(found) < 32 {
		for i < len(s) && (isBlank(s[i]) || s[i] == ',' || s[i] == ';') {
			i++
		}
		from := i
		for i < len(s) && (isAlnum(s[i]) || s[i] == '-') {
			i++
		}
		if code := s[from:i]; len(code) < 4 || len(code) > 24 || digitsIn(code) == 0 || isUnit(code) && !allDigits(code) {
			break
		}
		found = append(found, span{from, i, Secret})
	}
	return found
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// isUnit recognises 12-character, 30days, 2024-01-01T00:00:00Z.
func isUnit(s string) bool {
	i := 0
	for i < len(s) && (isDigit(s[i]) || s[i] == '-' || s[i] == ':' || s[i] == '.' || s[i] == '/') {
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

// namedPair finds the password of "login alice / PASSWORD" and "creds a:PASSWORD".
func namedPair(s string, end int, word string) (span, bool) {
	i, stop := end, min(len(s), end+maxSentence/2)
	for range 5 {
		for i < stop && (isBlank(s[i]) && s[i] != '\n' || s[i] == ':' || s[i] == '=' || s[i] == '`' || s[i] == '"' || s[i] == '(') {
			i++
		}
		from := i
		for i < stop && (isAlnum(s[i]) || strings.IndexByte("_-.@+", s[i]) >= 0) {
			i++
		}
		if i == from || i >= stop {
			return span{}, false
		}
		at := i
		for at < stop && s[at] == ' ' {
			at++
		}
		if at < stop && (s[at] == '/' || s[at] == ':' && at == i) && !strings.HasPrefix(s[at:], "//") && !strings.HasPrefix(s[at:], "://") {
			at++
			gap := at
			for at < stop && s[at] == ' ' {
				at++
			}
			if s[gap-1] == ':' && at > gap {
				i = at
				continue // "login: alice"
			}
			value, _ := candidate(s, at, stop)
			text := s[value.from:value.to]
			if isOdd(text) && !isUnit(text) && !looksLikeHost(text) && !has("com io org", s[from:i]) {
				return span{value.from, value.to, Password}, true
			}
			return span{}, false
		}
		if word == "log" && !has("in on into", s[from:i]) {
			return span{}, false
		}
		if has("with as using", s[from:i]) {
			if found, ok := pairInWords(s, at, stop); ok {
				return found, true
			}
		}
		word = ""
	}
	return span{}, false
}

// pairInWords finds the password of "alice and SECRET" at i.
func pairInWords(s string, i, stop int) (span, bool) {
	user, next := candidate(s, i, stop)
	next += blanks(s, next)
	and, after := candidate(s, next, stop)
	if user.to == user.from || after >= stop || !has("and with und et y /", s[and.from:and.to]) {
		return span{}, false
	}
	value, _ := candidate(s, after+blanks(s, after), stop)
	text := s[value.from:value.to]
	return span{value.from, value.to, Password}, isOdd(text) && !isUnit(text) && !looksLikeHost(text)
}

// phrase finds the twelve or more words of a wallet's phrase. They are of three
// to eight letters, and none is a word that sentences cannot do without.
func phrase(s string, end int) (span, bool) {
	stop := min(len(s), end+80)
	for i := end; i < stop; i++ {
		if i > 0 && isLetter(s[i-1]) || !isLetter(s[i]) {
			continue
		}
		if to, n := seedWords(s, i); n >= 12 && n <= 24 {
			return span{i, to, Secret}, true
		}
	}
	return span{}, false
}

func seedWords(s string, i int) (end, n int) {
	for n <= 25 {
		from := i
		for i < len(s) && 'a' <= s[i] && s[i] <= 'z' && i-from < 10 {
			i++
		}
		if length := i - from; length < 3 || length > 8 || i < len(s) && (isAlnum(s[i]) || s[i] == '-' || s[i] == '_') || has(plainWords, s[from:i]) {
			return end, n
		}
		n++
		end = i
		gap := 0
		for i < len(s) && (isBlank(s[i]) || s[i] == ',') && gap < 3 {
			i++
			gap++
		}
		if gap == 0 {
			return end, n
		}
	}
	return end, n
}

const plainWords = "the and for are with from that this these those have has was were not but its our your their his her they which when where what will would could should into than then also been " +
	"does did phrase mnemonic words seed per any all"
