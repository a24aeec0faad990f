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
	found, n := span{kind: Secret}, 0
	for at := end; at < len(s) && at-end < 400; {
		if isBlank(s[at]) || s[at] == ',' {
			at++
			continue
		}
		to := at
		for to < len(s) && 'a' <= s[to] && s[to] <= 'z' && to-at < 10 {
			to++
		}
		if to-at >= 3 && to-at <= 8 && (to == len(s) || sets[s[to]]&wide == 0) && !has(plainWords, s[at:to]) {
			if n == 0 {
				found.from = at
			}
			n++
			found.to = to
		} else if n >= 12 {
			break
		} else {
			n = 0
		}
		if to == at {
			to++ // a sign
		}
		for at = to; at < len(s) && isAlnum(s[at]) && isAlnum(s[at-1]); {
			at++ // the rest of a word
		}
	}
	return found, n >= 12
}

// codes finds codes of one form behind "codes:", one a line or with commas between, at
// least two and one with digits.
func codes(s string, end int) []span {
	at := max(0, strings.IndexAny(window(s[end:], 80), ":\n"))
	var found []span
	form, digits := "", 0
	for i := end + at; len(found) < 32; {
		for i < len(s) && strings.IndexByte(" \t\r\n,;:-*", s[i]) >= 0 {
			i++
		}
		from := i
		for i < len(s) && (isAlnum(s[i]) || s[i] == '-') && i-from <= 40 {
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
	if len(code) < 6 {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if r == '-' {
			return r
		}
		return 'x'
	}, code)
}

// groupsOfFour are the groups of four letters and digits at i, as keys are written that
// people have to type, without what is between them, and their end.
func groupsOfFour(s string, i int) (all string, end int) {
	for end = i; len(all) < 64 && i+4 <= len(s) && spanOf(window(s, i+5), i, alnum) == i+4; {
		all, end = all+s[i:i+4], i+4
		i = end
		if i < len(s) && (s[i] == ' ' || s[i] == '-') {
			i++
		}
	}
	return all, end
}

// maxCall is how much of a call's arguments is read, in bytes.
const maxCall = 256

// call finds the password in login("alice", "secret") and auth=("alice", "secret"):
// the last of two or more strings side by side.
func call(s string, start, end int) (span, bool) {
	open, name := end, s[start:end]
	if at := open + blanks(s, open); at < len(s) && s[at] == '=' {
		open = at + 1 + blanks(s, at+1) // auth = (...)
	}
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
		quote := quoteAt(s[:stop], i)
		if quote == "" {
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
		return found, hasSuffixFold(name, "auth") && isOdd(text) || isBehind && isChosen(text) || isRandomKey(text) || isChainKey(text)
	}
	return found, isChosen(text)
}
