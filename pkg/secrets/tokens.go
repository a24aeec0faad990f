package secrets

import "strings"

// leastSolid is the length in bytes of the shortest token that is recognised without a
// name beside it, except numbers in groups.
const leastSolid = 10

// leastMarked is the length in bytes of the shortest token with a mark inside it.
const leastMarked = 40

// mayHoldToken reports whether the name s[i:end] may be a token, begin one or contain
// one. Most words are too short, and the check of the length is the cheapest.
func mayHoldToken(s string, i, end int) bool {
	if end-i >= leastSolid || end < len(s) && sets[s[end]]&solid != 0 {
		return true
	}
	switch first := s[i]; {
	case end-i < 4:
		return false
	case isDigit(first):
		return true // the first group of a card's number
	case 'A' <= first && first <= 'Z':
		return isDigit(s[i+2]) || first == 'F' // of an account's, or Fly's token
	}
	return false
}

// runs remembers the run of token bytes that was measured last, in which many words may
// begin, so that a hostile text is not measured again and again.
type runs struct {
	end int // of the last run
	jwt int // end of the web token that would begin in it; 0: unknown, -1: none
}

// token recognises a secret by how it begins, at the start of a word.
func (r *runs) token(s string, i int) (kind string, end int) {
	switch first := s[i]; {
	case first == 'e' && strings.HasPrefix(s[i:], "eyJ"):
		if end := r.webToken(s, i); end > i {
			return JWT, end
		}
	case isDigit(first):
		if kind, end := number(s, i); end > i {
			return kind, end
		}
	}
	if 'A' <= s[i] && s[i] <= 'Z' {
		if to := accountNumber(s, i); to > i {
			return AccountNumber, to
		}
	}
	return vendorToken(s, i)
}

// webToken is the end of header.payload.signature at i, or i.
func (r *runs) webToken(s string, i int) int {
	if i >= r.end {
		r.end, r.jwt = spanOf(s, i, wide), 0
	}
	if r.jwt == 0 {
		r.jwt = -1
		if signature := afterDot(s, afterDot(s, r.end, 8), 8); signature > 0 {
			r.jwt = signature
		}
	}
	if r.jwt < 0 || r.end-i < 8 {
		return i
	}
	return r.jwt
}

// afterDot is the end of a run of at least least bytes behind a dot at i, or 0.
func afterDot(s string, i, least int) int {
	if i <= 0 || i >= len(s) || s[i] != '.' {
		return 0
	}
	if end := spanOf(s, i+1, wide); end-i-1 >= least {
		return end
	}
	return 0
}

// vendorToken recognises a token by the prefix its vendor gave it.
func vendorToken(s string, i int) (kind string, end int) {
	if i+8 > len(s) || s[i] >= 128 || s[i+1] >= 128 {
		return "", i
	}
	if first, second := s[i], s[i+1]; prefixPairs[first][second>>6]&(1<<(second&63)) == 0 {
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
		// Most that begin so are no tokens, and their end may be far.
		if end := spanOf(window(s, body+p.least+decisionWindow), body, p.set); end-body >= p.least && p.fits(s[body:end]) {
			if end = spanOf(s, body, p.set); p.form != exact || end >= len(s) || !isAlnum(s[end]) {
				return p.kind, end
			}
		}
	}
	return "", i
}

// fits reports that a token may go on like this.
func (p *prefix) fits(body string) bool {
	switch p.form {
	case plain:
		return !isPlaceholder(window(body, decisionWindow))
	case exact:
		return len(body) == p.least && !isPlaceholder(body)
	}
	return isDrawn(body)
}

const (
	pemBegin = "-----BEGIN "
	pemKey   = "PRIVATE KEY"
	pemClose = "-----END "
)

// pem is the end of the private key whose first line begins at i, or i
// when it is something else. Without a last line (a text that was cut) the key
// goes on as long as the lines look like one; isCut remembers that there is none.
func pem(s string, i int, isCut *bool) int {
	label := window(s[i+len(pemBegin):], 64)
	title, _, ok := strings.Cut(label, "-----")
	if !ok || !strings.Contains(title, pemKey) || strings.ContainsAny(title, "\r\n") {
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

// keyEnd passes over lines without blanks in them and over PEM headers.
func keyEnd(s string, from int) int {
	end := from
	for end < len(s) {
		line := end
		for line < len(s) && s[line] != '\n' && (!isBlank(s[line]) || s[line] == '\r') && s[line] != '<' {
			line++
		}
		if line < len(s) && s[line] != '\n' {
			header := window(s[end:], 128)
			if !strings.HasPrefix(header, "Proc-Type: ") && !strings.HasPrefix(header, "DEK-Info: ") {
				break
			}
			line = end + max(0, strings.IndexByte(header, '\n'))
		}
		end = min(line+1, len(s))
	}
	for end > from && isBlank(s[end-1]) {
		end--
	}
	return end
}

// cryptHash is the end of a crypt(3) hash, as in /etc/shadow and .htpasswd, that
// begins at i with "$", or i.
func cryptHash(s string, i int) int {
	scheme := i + 1
	for scheme < len(s) && isAlnum(s[scheme]) && scheme-i < 12 {
		scheme++
	}
	if scheme >= len(s) || s[scheme] != '$' || !has(cryptSchemes, s[i+1:scheme]) {
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
