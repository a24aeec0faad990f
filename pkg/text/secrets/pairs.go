package secrets

import "strings"

// namedPair finds the password in "login alice / PASSWORD" and "creds a:PASSWORD".
func namedPair(s string, end int) (span, bool) {
	i, stop := end, min(len(s), end+maxSentence/2)
	for range 5 {
		for i < stop && strings.IndexByte(" \t\r:=`\"(", s[i]) >= 0 {
			i++
		}
		from := i
		for i < stop && (isAlnum(s[i]) || strings.IndexByte("_-.@+", s[i]) >= 0) {
			i++
		}
		if i == from || i >= stop {
			return span{}, false
		}
		at := min(i+blanks(s, i), len(s)-1)
		if sign := startOf(":// : /", s[at:]); sign == ":" || sign == "/" {
			next := at + 1 + blanks(s, at+1)
			if sign == ":" && next > at+1 {
				i = next
				continue // "login: alice"
			}
			w, _ := sentenceWord(s, next, stop)
			return span{w.from, w.to, Password}, isChosen(w.in(s))
		}
		if has("with as using", s[from:i]) {
			if found, ok := pairInWords(s, at, stop); ok {
				return found, true
			}
		}
	}
	return span{}, false
}

// pairInWords finds the password in "alice and SECRET" at i.
func pairInWords(s string, i, stop int) (span, bool) {
	user, next := sentenceWord(s, i, stop)
	and, after := sentenceWord(s, next+blanks(s, next), stop)
	if user.to == user.from || after >= stop || !has("and with und et y /", and.in(s)) {
		return span{}, false
	}
	if strings.HasPrefix(s[after:], " then ") {
		after += len(" then")
	}
	w, _ := sentenceWord(s, after+blanks(s, after), stop)
	return span{w.from, w.to, Password}, isChosen(w.in(s))
}

// chosenPair returns the password in s[from:to] if that has the form alice:SECRET.
func chosenPair(s string, from, to int) (span, bool) {
	user, password, ok := strings.Cut(s[from:to], ":")
	if !ok || !isName(strings.NewReplacer("-", "_", ".", "_", "@", "_").Replace(user)) || !isChosen(password) {
		return span{}, false
	}
	return span{to - len(password), to, Password}, true
}

// phrase finds a wallet's seed phrase: twelve or more words of three to eight letters that no sentence needs.
func phrase(s string, end int) (span, bool) {
	found, n := span{kind: Secret}, 0
	for at := end; at < len(s) && (at-end < 80 || n > 0 && at-end < 400); {
		if isBlank(s[at]) || strings.IndexByte(",-\"'", s[at]) >= 0 {
			at++
			continue
		}
		to, isSeed := seedWord(s, at)
		if isSeed && n == 0 {
			found.from = at
		}
		switch {
		case isSeed:
			found.to = to
			n++
		case n >= 12:
			return found, true
		default:
			n = 0
		}
		at = to
	}
	return found, n >= 12
}

// seedWord reads the word or sign at i. It returns its end, and whether a seed phrase may contain it.
func seedWord(s string, i int) (end int, ok bool) {
	end = i
	for end < len(s) && isAlnum(s[end]) && end-i < 64 {
		end++
	}
	if end == i {
		return min(i+1, len(s)), false
	}
	word := s[i:end]
	ok = len(word) >= 3 && len(word) <= 8 && strings.Trim(word, alphabet[:26]) == "" &&
		(end == len(s) || sets[s[end]]&wide == 0) && !has(plainWords, word)
	return max(end, i+1), ok
}

// codes finds codes of one form after "codes:", on lines or between commas: at least two, with a digit in one of them.
func codes(s string, end int) []span {
	at := max(0, strings.IndexAny(window(s[end:], 80), ":\n"))
	var found []span
	form, digits := "", 0
	for i := end + at; len(found) < 32; {
		for i < len(s) && strings.IndexByte(" \t\r\n,;:-*\"'[", s[i]) >= 0 {
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

// codeForm returns a code with each letter and digit replaced by "x", or "" if the text is not a code.
func codeForm(code string) string {
	if len(code) < 6 || len(code) > 40 {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if r == '-' {
			return r
		}
		return 'x'
	}, code)
}

const (
	// maxCall is the number of bytes read of a call's arguments.
	maxCall = 256
	// maxStrings is the number of strings read in a call.
	maxStrings = 8
)

// call finds the password in login("alice", "secret") or auth=("alice", "secret"): the last of several strings.
func call(s string, start, end int) (span, bool) {
	open, name := end, s[start:end]
	if at := open + blanks(s, open); at < len(s) && s[at] == '=' {
		open = at + 1 + blanks(s, at+1) // auth = (...)
	}
	if name == "new" && strings.HasSuffix(s[:start], "::") {
		name = s[max(0, start-longestEnding):end] // SecretString::new("...")
	}
	if open >= len(s) || s[open] != '(' || !endsInOne(name, calls) {
		return span{}, false
	}
	found, n := lastString(s[:min(len(s), open+maxCall)], open+1)
	text := s[found.from:found.to]
	if n != 1 || isChosen(text) && strings.IndexByte(s[open:found.from], ',') > 0 {
		return found, isChosen(text)
	}
	return found, endsInOne(name, "auth aesnew hashpw") && isOdd(text) || isRandomKey(text) || isChainKey(text)
}

// lastString returns, of the strings among the arguments from i on, the last that may be a password, else the first; and their number.
func lastString(s string, i int) (found span, n int) {
	for i < len(s) && n < maxStrings && strings.IndexByte("){\n", s[i]) < 0 {
		quote := quoteAt(s, i)
		if quote == "" {
			i++
			continue
		}
		from := i + len(quote)
		to := from + len(quotedText(s[from:], quote))
		n++
		if n == 1 || isChosen(s[from:to]) {
			found = span{from, to, Password}
		}
		i = to + len(quote)
	}
	return found, n
}
