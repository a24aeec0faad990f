package redact

import "strings"

// callNames end names of functions, and of parameters that take a pair, whose last
// string is a password.
var callNames = [...]string{"auth", "login", "connect", "connection", "credentials", "credential", "authenticate", "signin", "authentication", "sequelize", "userpass", "usernamepassword", "client", "pdo"}

// maxCall is how much of a call's arguments is read, in bytes.
const maxCall = 256

// call finds the password in login("alice", "secret") and auth=("alice", "secret"):
// the last of two or more strings side by side.
func call(s string, start, end int) (span, bool) {
	i := end
	if at := i + blanks(s, i); at < len(s) && s[at] == '=' {
		i = at + 1 + blanks(s, at+1) // auth = (...)
	}
	if i >= len(s) || s[i] != '(' || end-start < len("pdo") || !isCallName(s[start:end]) {
		return span{}, false
	}
	stop := min(len(s), i+maxCall)
	var found span
	n, behind := 0, false
	open := i
	for i++; i < stop && s[i] != ')' && s[i] != '{' && s[i] != '\n'; {
		quote := quoteAt(s, i)
		if quote == "" {
			i++
			continue
		}
		from := i + len(quote)
		to := from + len(quotedText(s[from:stop], quote))
		found = span{from, to, Password}
		n++
		behind = strings.IndexByte(s[open:i], ',') > 0
		i = to + len(quote)
	}
	value := s[found.from:found.to]
	if n == 1 {
		name := s[start:end]
		isAuth := strings.EqualFold(name[strings.LastIndexByte(name, '.')+1:], "auth") && isOdd(value) && !isUnit(value)
		isAuth = isAuth || behind && (hasSuffixFold(name, "login") || hasSuffixFold(name, "auth") || hasSuffixFold(name, "authenticate")) && isOdd(value) && !isUnit(value) && !looksLikeHost(value)
		return found, isAuth || isMachineMade(value) && makeupOf(value).isRandom()
	}
	return found, n >= 2 && isOdd(value) && !isUnit(value) && !looksLikeHost(value)
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && hasFold(s, len(s)-len(suffix), suffix)
}

func isCallName(name string) bool {
	var folded [longestEnding]byte
	ending := endingOf(name, &folded)
	for _, known := range callNames {
		if endsWith(ending, known) {
			return true
		}
	}
	return false
}

// before finds the secret in "X is the password" and "with X as the token": the
// keyword begins at start.
func before(s string, start int, k *keyword) (span, bool) {
	from, word := wordBefore(s, start)
	if has("the my your our api access secret", word) {
		from, word = wordBefore(s, from)
	}
	if has("the my your our", word) {
		from, word = wordBefore(s, from)
	}
	if word != "as" && word != "is" {
		return span{}, false
	}
	to := from
	for to > 0 && s[to-1] == ' ' {
		to--
	}
	if to > 0 && strings.IndexByte("\"'`", s[to-1]) >= 0 {
		to--
	}
	from = to
	for from > 0 && to-from < decisionWindow && !isBlank(s[from-1]) && strings.IndexByte("\"'`(", s[from-1]) < 0 {
		from--
	}
	value := s[from:to]
	if k.role == ofPassword {
		return span{from, to, k.kind}, isOdd(value) && !isUnit(value) && !looksLikeHost(value)
	}
	return span{from, to, k.kind}, isMachineMade(value) && makeupOf(value).isRandom()
}

// wordBefore is the word of letters that ends before i, but for blanks.
func wordBefore(s string, i int) (from int, word string) {
	for i > 0 && s[i-1] == ' ' {
		i--
	}
	from = i
	for from > 0 && isLetter(s[from-1]) && i-from < 16 {
		from--
	}
	return from, strings.ToLower(s[from:i])
}

// relayLine finds the password in "[host]:port user:password", as mail relays have
// it in a table.
func relayLine(line string) (from int, ok bool) {
	relay, pair, found := strings.Cut(line, " ")
	at := strings.IndexByte(pair, ':')
	if !found || !strings.HasPrefix(relay, "[") || !strings.Contains(relay, "]") || at < 1 || strings.Contains(pair, " ") {
		return 0, false
	}
	return len(relay) + 1 + at + 1, isOdd(pair[at+1:])
}

// maxComment is how long a comment is that only names what stands before it.
const maxComment = 60

// comment finds what a comment at the end of its line calls a secret: the last word
// or string before it. The keyword begins at start.
func comment(s string, start int, k *keyword) (span, bool) {
	at := start
	for at > 0 && start-at < maxComment && s[at-1] != '\n' && strings.IndexByte("\"'`=:", s[at-1]) < 0 && !marksComment(s, at) {
		at--
	}
	if k.role != ofKey && k.role != ofPassword || !marksComment(s, at) || strings.IndexByte(window(s[start:], maxComment)+"\n", '\n') < 0 {
		return span{}, false
	}
	to := at
	for to > 0 && (strings.IndexByte("#/-;,) \t", s[to-1]) >= 0) {
		to--
	}
	quoted := to > 0 && strings.IndexByte("\"'`", s[to-1]) >= 0
	if quoted {
		to--
	}
	from := to
	for from > 0 && s[from-1] == '=' {
		from--
	}
	for from > 0 && to-from < decisionWindow && !isBlank(s[from-1]) && strings.IndexByte("\"'`", s[from-1]) < 0 && (quoted || s[from-1] != '(' && s[from-1] != '=') {
		from--
	}
	if quoted && (strings.HasSuffix(s[from:to], `\r`) || strings.HasSuffix(s[from:to], `\n`)) {
		to -= len(`\r`)
	}
	value := s[from:to]
	if k.role == ofPassword {
		return span{from, to, k.kind}, quoted && isOdd(value) && !isUnit(value) && !looksLikeHost(value)
	}
	return span{from, to, k.kind}, isMachineMade(value) && (quoted || makeupOf(value).isRandom())
}

// marksComment reports that a comment's text begins at i.
func marksComment(s string, i int) bool {
	for i > 0 && s[i-1] == ' ' {
		i--
	}
	if i < 2 || i > 2 && !isBlank(s[i-2]) && !isBlank(s[i-3]) {
		return false
	}
	return s[i-1] == '#' || s[i-1] == '/' && s[i-2] == '/' || s[i-1] == '-' && s[i-2] == '-'
}
