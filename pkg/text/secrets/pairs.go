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

// codes finds codes of one length after "codes:", on lines or between commas: at least two, with a digit in one of them.
func codes(s string, end int) (found []span) {
	length, digits := 0, 0
	for i := end + max(0, strings.IndexAny(window(s[end:], 80), ":\n")); len(found) < 32; {
		i += len(s[i:]) - len(strings.TrimLeft(s[i:], " \t\r\n,;:-*\"'["))
		to := spanOf(s, i, wide)
		if n := to - i; n < 6 || n > 40 || length > 0 && n != length {
			break
		}
		length, digits, found = to-i, digits+digitsIn(s[i:to]), append(found, span{i, to, Secret})
		i = to
	}
	if len(found) < 2 || digits == 0 {
		return nil
	}
	return found
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
