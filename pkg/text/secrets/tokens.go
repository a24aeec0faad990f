package secrets

import "strings"

// leastSolid is the least length in bytes of a token that needs no name beside it, except grouped numbers.
const leastSolid = 10

// leastMarked is the minimum length in bytes of a token with a mark inside it.
const leastMarked = 40

// mayHoldToken reports whether the name s[i:end] may be a token, or begin or contain one. It checks the length first, which excludes most words cheaply.
func mayHoldToken(s string, i, end int) bool {
	if end-i >= leastSolid || end < len(s) && sets[s[end]]&solid != 0 {
		return true
	}
	return end-i >= 4 && (isDigit(s[i]) || s[i] == 'F') // the first group of a card number, or a token of Fly
}

// token recognises a secret by its beginning, at the start of a word. It returns its kind and end, or i as the end.
func token(s string, i int) (kind string, end int) {
	if isDigit(s[i]) {
		if kind, end := number(s, i); end > i {
			return kind, end
		}
	}
	return vendorToken(s, i)
}

// vendorToken recognises a token by its vendor's prefix. It returns its kind and end, or i as the end.
func vendorToken(s string, i int) (kind string, end int) {
	if i+8 > len(s) || s[i] >= 128 || s[i+1] >= 128 {
		return "", i
	}
	rest := s[i:]
	for at := prefixesBy.first[pairOf(rest)]; at != 0; at = prefixesBy.next[at] {
		p := &prefixes[at-1]
		if !strings.HasPrefix(rest, p.text) {
			continue
		}
		if p.form == public {
			return "", i
		}
		body := i + len(p.text)
		// Most texts with this beginning are not tokens, and their end may be far away.
		near := decisionWindow
		if p.form == parts { // the header of a web token may have a key or certificates
			near *= 16
		}
		if end := spanOf(window(s, body+p.least+near), body, p.set); end-body >= p.least && p.fits(s[body:end]) {
			if end = spanOf(s, body, p.set); p.form != exact || end >= len(s) || !isAlnum(s[end]) {
				return p.kind, end
			}
		}
	}
	return "", i
}

// isMarked reports whether a name is a token of a vendor without a row in the tables, such as acme_live_...: its last word (live, secret)
// marks a key, and random characters follow.
func isMarked(name string) bool {
	at := len(name) - 1
	for at > 0 && sets[name[at]]&alnum != 0 {
		at--
	}
	if at < 2 || len(name)-at <= 20 || startOf("pk pub", name) != "" { // a publishable key
		return false
	}
	word := name[:at]
	word = word[strings.LastIndexAny(word, "_-")+1:]
	m := makeupOf(name[at+1:])
	return has(tokenWords, word) && m.upper > 0 && m.lower > 0 && m.isRandom() || has("live secret", word) && m.isHex() && m.length >= 32
}

// leastPart is the minimum number of bytes behind the first part of a web token.
const leastPart = 8

// fits reports whether body may follow the prefix of a token.
func (p *prefix) fits(body string) bool {
	switch p.form {
	case plain:
		return !isPlaceholder(window(body, decisionWindow))
	case exact:
		return len(body) == p.least && !isPlaceholder(body)
	case parts:
		_, second, _ := strings.Cut(body, ".")
		return len(second) >= leastPart
	}
	return isDrawn(body)
}

const (
	pemBegin = "-----BEGIN "
	pemKey   = "PRIVATE KEY"
	pemClose = "-----END "
)

// pem returns the end of the private key whose first line begins at i, or i if it is not a key. Without a last line
// (in a cut text) the key extends over all lines that look like key lines. isCut caches that no last line exists.
func pem(s string, i int, isCut *bool) int {
	label := window(s[i+len(pemBegin):], 64)
	title, _, ok := strings.Cut(label, "-----")
	if !ok || !strings.Contains(title, pemKey) && !strings.Contains(title, "Static key") || strings.ContainsAny(title, "\r\n") {
		return i
	}
	body := i + len(pemBegin) + len(title) + len("-----")
	if *isCut {
		return keyEnd(s, body)
	}
	at := strings.Index(s[body:], pemClose)
	if at < 0 {
		*isCut = true
		return keyEnd(s, body)
	}
	end := body + at + len(pemClose)
	if dashes := strings.Index(window(s[end:], 64), "-----"); dashes >= 0 {
		end += dashes + len("-----")
	}
	return end
}

// keyEnd returns the end of the key's lines after from: lines without spaces.
func keyEnd(s string, from int) int {
	end := from
	for end < len(s) {
		line := end
		for line < len(s) && s[line] != '\n' && (!isBlank(s[line]) || s[line] == '\r') && s[line] != '<' &&
			!strings.HasPrefix(s[line:], "…[") {
			line++
		}
		if strings.HasPrefix(s[line:], "…[") {
			return line
		}
		if line < len(s) && s[line] != '\n' {
			break
		}
		end = min(line+1, len(s))
	}
	for end > from && isBlank(s[end-1]) {
		end--
	}
	return end
}

// cryptHash returns the end of the hash at i, or i: of crypt(3), which begins with "$", or of LDAP, which begins with "{".
func cryptHash(s string, i int) int {
	scheme := i + 1
	for scheme < len(s) && (isAlnum(s[scheme]) || s[scheme] == '-') && scheme-i < 16 {
		scheme++
	}
	if scheme >= len(s) || s[scheme] != '$' && s[scheme] != '}' || !has(cryptSchemes, s[i+1:scheme]) {
		return i
	}
	end := scheme
	for end < len(s) && (sets[s[end]]&(any64|dot) != 0 || s[end] == '$' || s[end] == ',') {
		end++
	}
	if end-i < 20 || strings.Count(s[i:end], "$") < 3 {
		return i
	}
	return end
}

// number recognises a secret of digits at i, such as a card number. It returns its kind and end, or i as the end.
func number(s string, i int) (kind string, end int) {
	end = i
	for end < len(s) && isDigit(s[end]) && end-i < 20 {
		end++
	}
	if n := end - i; n >= 8 && n <= 10 && end < len(s) && s[end] == ':' {
		if to := spanOf(s, end+1, wide); to-end-1 == 35 {
			return Token, to
		}
	}
	return CardNumber, cardNumber(s, i)
}

// cardNumber returns the end of the payment card number at i, or i. A card number has 14 to 16 digits, alone or in
// groups, an issuer's first digits and a correct check digit. Published test numbers do not count.
func cardNumber(s string, i int) int {
	if s[i] < '2' || s[i] > '6' || i > 0 && sets[s[i-1]]&dotted != 0 {
		return i
	}
	digits, end := groupedDigits(s, i)
	if end < len(s) && sets[s[end]]&wide != 0 || !isIssued(digits) || !luhn(digits) || has(publishedCards, digits) {
		return i
	}
	return end
}

// groupedDigits returns the 14 to 20 digits at i, alone or in groups of four and six, and their end.
func groupedDigits(s string, i int) (string, int) {
	number := make([]byte, 0, 20)
	end := i
	for ; end < len(s) && len(number) < cap(number); end++ {
		if n := len(number); isDigit(s[end]) {
			number = append(number, s[end])
		} else if isGroup := n == 4 || end > i+n && (n%4 == 0 || n == 10); s[end] != ' ' && s[end] != '-' ||
			!isGroup || end+1 >= len(s) || !isDigit(s[end+1]) {
			break
		}
	}
	if len(number) < 14 {
		return "", i // fewer are not worth a check
	}
	return string(number), end
}

// isIssued reports whether a number has the length that its first digits require.
func isIssued(number string) bool {
	issuers := [21]string{14: "30 36 38", 15: "34 37", 16: "4 51 52 53 54 55 22 23 24 25 26 27 6011 65 35"}[len(number)]
	return issuers != "" && startOf(issuers, number) != ""
}

// luhn reports whether the check digit of a card number is correct.
func luhn(number string) bool {
	sum := 0
	for i := range number {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			d = d*2%10 + d/5
		}
		sum += d
	}
	return sum%10 == 0
}

// maxAddress is the number of bytes of an address in which its path is searched for secrets.
const maxAddress = 1024

// urlPassword returns the password in the authority that begins at i, if any.
func urlPassword(s string, i int) (span, bool) {
	end := authorityEnd(s, i, "/?#")
	colon := strings.IndexByte(s[i:end], ':')
	if colon < 0 {
		return span{}, false
	}
	at := strings.LastIndexByte(s[i:end], '@')
	if at < 0 && digitsIn(s[i+colon+1:end]) < end-i-colon-1 {
		// No port: the slash may belong to the password.
		at = strings.LastIndexByte(s[i:authorityEnd(window(s, i+128), i, "")], '@')
	}
	if at <= colon+1 {
		return span{}, false
	}
	found := span{i + colon + 1, i + at, URLPassword}
	text := window(s[found.from:found.to], decisionWindow)
	return found, !isPlaceholder(text) && !hasFolded(wordsForSecrets, text)
}

// authorityEnd returns the end of an address at a space, a quotation mark or one of the bytes in stop.
func authorityEnd(s string, i int, stop string) int {
	for i < len(s) && !isBlank(s[i]) && strings.IndexByte("\"'`<>\\", s[i]) < 0 && strings.IndexByte(stop, s[i]) < 0 {
		i++
	}
	return i
}

// address returns the secret in the address whose authority begins at i, and the end of the part that it read. It
// does not read the query: a secret there is found by the name of its parameter.
func address(s string, i int) (span, int) {
	end := authorityEnd(window(s, i+maxAddress), i, "?#|,;")
	text := s[i:end]
	if user, host, ok := strings.Cut(text, "@"); ok && host != "" && !strings.Contains(user, "/") && isMachineMade(user) {
		return span{i, i + len(user), URLPassword}, end
	}
	if at := strings.LastIndexByte(text, '/') + 1; strings.Contains(s[max(0, i-len("rtmps://")):i], "rtmp") && len(text)-at >= 8 &&
		digitsIn(text[at:]) > 0 && !isPlaceholder(text[at:]) {
		return span{i + at, end, Token}, end // a stream key
	}
	if at := secretPath(text); at > 0 {
		return span{i + at, end, Webhook}, end
	}
	return span{}, end
}

// secretPath returns the offset of the part of an address that grants access, or 0.
func secretPath(address string) int {
	for known := range strings.SplitSeq(secretPaths, " ") {
		if at := strings.Index(address, known); at >= 0 {
			from := at + len(known)
			if rest := address[from:]; len(rest) < 8 || isPlaceholder(window(rest, decisionWindow)) {
				return 0
			}
			return from
		}
	}
	isHook := false
	for from := 0; from < len(address); {
		part, _, _ := strings.Cut(address[from:], "/")
		if isHook && (isMachineMade(window(part, 36)) || len(part) >= 20 && makeupOf(part).others == 0 && isDrawn(part)) {
			return from
		}
		isHook = isHook || strings.Contains(part, "hook") || has(linkParts, part)
		from += len(part) + 1
	}
	return 0
}

// driverPassword finds the password in "alice:SECRET@tcp(db1:3306)" and "alice:SECRET@db1.acme.io:5432", as
// database drivers take it, for the name that ends at end.
func driverPassword(s string, end int) (span, bool) {
	from := end + 1
	to := authorityEnd(window(s, from+128), from, "@/,;")
	if to >= len(s) || s[to] != '@' || to-from < 4 || isPlaceholder(s[from:to]) {
		return span{}, false
	}
	found, host := span{from, to, URLPassword}, window(s[to+1:], 64)
	if startOf("tcp( unix( (", host) != "" {
		return found, true
	}
	host = host[:spanOf(host, 0, dotted)]
	isHost := strings.Contains(host, ".") && !isDigit(host[0]) || strings.Count(host, ".") == 3 || host == "localhost"
	return found, isHost && isOdd(s[from:to])
}
