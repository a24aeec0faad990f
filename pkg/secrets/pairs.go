package secrets

import "strings"

// namedPair finds the password of "login alice / PASSWORD" and "creds a:PASSWORD".
func namedPair(s string, end int, keyword string) (span, bool) {
	i, stop := end, min(len(s), end+maxSentence/2)
	for range 5 {
		for i < stop && strings.IndexByte(" \t\r:=`\"(", s[i]) >= 0 {
			i++
		}
		from := i
		for i < stop && (isAlnum(s[i]) || strings.IndexByte("_-.@+", s[i]) >= 0) {
			i++
		}
		name := s[from:i]
		if name == "" || i >= stop {
			return span{}, false
		}
		at := i + blanks(s, i)
		if at < stop && (s[at] == '/' || s[at] == ':' && at == i) && !strings.HasPrefix(s[at:], "//") && !strings.HasPrefix(s[at:], "://") {
			next := at + 1 + blanks(s, at+1)
			if s[at] == ':' && next > at+1 {
				i = next
				continue // "login: alice"
			}
			w, _ := sentenceWord(s, next, stop)
			return span{w.from, w.to, Password}, isChosen(w.in(s)) && !has("com io org", name)
		}
		if keyword == "log" && !has("in on into", name) {
			return span{}, false
		}
		if has("with as using", name) {
			if found, ok := pairInWords(s, at, stop); ok {
				return found, true
			}
		}
		keyword = ""
	}
	return span{}, false
}

// pairInWords finds the password of "alice and SECRET" at i.
func pairInWords(s string, i, stop int) (span, bool) {
	user, next := sentenceWord(s, i, stop)
	and, after := sentenceWord(s, next+blanks(s, next), stop)
	if user.to == user.from || after >= stop || !has("and with und et y /", and.in(s)) {
		return span{}, false
	}
	w, _ := sentenceWord(s, after+blanks(s, after), stop)
	return span{w.from, w.to, Password}, isChosen(w.in(s))
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
		if length := i - from; length < 3 || length > 8 || i < len(s) && sets[s[i]]&wide != 0 || has(plainWords, s[from:i]) {
			return end, n
		}
		n++
		end = i
		for i < len(s) && (isBlank(s[i]) || s[i] == ',') && i-end < 3 {
			i++
		}
		if i == end {
			return end, n
		}
	}
	return end, n
}

// codes finds codes of one form behind "codes:", one a line or with commas between, at
// least three and one with digits. first is the first one, if that is known.
func codes(s string, end int) []span {
	at := end + strings.IndexAny(window(s[end:], 80), ":\n")
	if at < end {
		return nil
	}
	var found []span
	form, digits := "", 0
	for i := at; len(found) < 32; {
		for i < len(s) && strings.IndexByte(" \t\r\n,;:-*", s[i]) >= 0 {
			i++
		}
		if n := digitsIn(window(s[i:], 2)); n > 0 && i+n < len(s) && (s[i+n] == '.' || s[i+n] == ')') {
			i += n + 1 + blanks(s, i+n+1) // the number of a line
		}
		from := i
		for i < len(s) && (isAlnum(s[i]) || s[i] == '-') {
			i++
		}
		is := codeForm(s[from:i])
		if is == "" || form != "" && is != form {
			break
		}
		form = is
		digits += digitsIn(s[from:i])
		found = append(found, span{from, i, Secret})
	}
	if len(found) < 2 || digits == 0 {
		return nil
	}
	return found
}

// codeForm is a code with each letter and digit made "x", or "" for other texts.
func codeForm(code string) string {
	if len(code) < 6 || len(code) > 40 {
		return ""
	}
	form := []byte(code)
	for i, b := range form {
		if b != '-' {
			form[i] = 'x'
		}
	}
	return string(form)
}

// keyGroups is the end of four or more groups of four letters and digits at i, as
// keys are written that people have to type, or i.
func keyGroups(s string, i int) int {
	end, n := i, 0
	all := make([]byte, 0, 64)
	for at := i; n < 16 && at+4 <= len(s); n++ {
		if spanOf(window(s, at+5), at, alnum) != at+4 {
			break
		}
		all = append(all, s[at:at+4]...)
		end = at + 4
		at = end
		if at < len(s) && (s[at] == ' ' || s[at] == '-') {
			at++
		}
	}
	m := makeupOf(string(all))
	if n < 4 || m.upper+m.lower == 0 || m.digits == 0 || m.digits < 2 && m.lower > 0 {
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

// maxCall is how much of a call's arguments is read, in bytes.
const maxCall = 256

// call finds the password in login("alice", "secret") and auth=("alice", "secret"):
// the last of two or more strings side by side.
func call(s string, start, end int) (span, bool) {
	open := end
	if at := open + blanks(s, open); at < len(s) && s[at] == '=' {
		open = at + 1 + blanks(s, at+1) // auth = (...)
	}
	name := s[start:end]
	if name == "new" && strings.HasSuffix(s[:start], "::") {
		name = s[max(0, start-longestEnding):end] // SecretString::new("...")
	}
	if open >= len(s) || s[open] != '(' || len(name) < len("pdo") || !endsInOne(name, calls) {
		return span{}, false
	}
	stop := min(len(s), open+maxCall)
	var found span
	n, isBehind := 0, false
	for i := open + 1; i < stop && strings.IndexByte("){\n", s[i]) < 0; {
		quote := quoteAt(s, i)
		if quote == "" || i+len(quote) > stop {
			i++
			continue
		}
		from := i + len(quote)
		next := span{from, from + len(quotedText(s[from:stop], quote)), Password}
		n++
		if n == 1 || isChosen(s[next.from:next.to]) {
			found, isBehind = next, strings.IndexByte(s[open:i], ',') > 0
		}
		i = next.to + len(quote)
	}
	text := s[found.from:found.to]
	if n == 1 {
		isAuth := strings.EqualFold(name[strings.LastIndexByte(name, '.')+1:], "auth") && isOdd(text) && !isUnit(text)
		return found, isAuth || isBehind && endsInOne(name, "login auth authenticate") && isChosen(text) || isRandomKey(text) || isChainKey(text)
	}
	return found, n >= 2 && isChosen(text)
}
