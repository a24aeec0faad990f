package secrets

import (
	"slices"
	"strings"
)

// scan is one pass over a text.
type scan struct {
	s     string
	found []span // findings in order, without overlaps
	next  int    // index of the first finding that the scan has not passed
	past  int    // end of the last finding that the scan has passed

	nameEnd    int  // end of the name at the current position
	isKeyCut   bool // no private key in the rest of the text has an end
	addressEnd int  // end of the last address that was read
	commandEnd int  // end of the last command that was read
	nested     int  // number of programs read inside that command

	hintEnd    int // end of the last keyword, after which a key counts as secret; -1 for none
	hintKind   string
	againstEnd int // end of the last word that excludes a secret after it; -1 for none
}

func find(s string) []span {
	c := scan{s: s, hintEnd: -1, againstEnd: -1}
	for i := 0; i < len(s); {
		if c.next < len(c.found) && c.found[c.next].from <= i {
			i = c.pass()
			continue
		}
		i = c.step(i)
	}
	return c.found
}

// pass moves past the finding at the current position and returns its end.
func (c *scan) pass() int {
	one := &c.found[c.next]
	if kind, end := token(c.s, one.from); end == one.to {
		one.kind = kind // the form of a secret names its kind more precisely than its place does
	}
	c.next++
	c.past = one.to
	return one.to
}

// add keeps findings from the current position on, except those that overlap an earlier finding.
func (c *scan) add(found ...span) {
	for _, one := range found {
		if one.to <= one.from || one.from < c.past || strings.Contains(c.s[one.from:one.to], markerStart) {
			continue
		}
		at := c.next
		for at < len(c.found) && c.found[at].to <= one.from {
			at++
		}
		if at < len(c.found) && c.found[at].from < one.to {
			continue
		}
		c.found = slices.Insert(c.found, at, one)
	}
}

// take keeps a secret that begins at or before the current position, drops findings inside it, and returns its end.
func (c *scan) take(one span) int {
	at := c.next
	for at < len(c.found) && c.found[at].from < one.to {
		at++
	}
	c.found = slices.Replace(c.found, c.next, at, one)
	c.next++
	c.past = one.to
	return one.to
}

// step examines the text at i and returns the next position.
func (c *scan) step(i int) int {
	s := c.s
	switch b := s[i]; {
	case b == '-' && strings.HasPrefix(s[i:], "---"):
		return c.dashes(i)
	case sets[b]&dotted != 0:
		return c.name(i)
	case b == '[':
		return skipMarker(s, i)
	case b == ':' && strings.HasPrefix(s[i:], "://"):
		return c.address(i + len("://"))
	case b == '$', b == '{':
		if end := cryptHash(s, i); end > i {
			return c.take(span{i, end, Password})
		}
	case b == '<' && strings.HasPrefix(s[i:], "<<<"):
		line := s[max(0, i-maxSentence):i]
		line = line[strings.LastIndexByte(line, '\n')+1:]
		if _, isReader := readerOf(line); !isReader && partOf(line) == "" {
			return i + 3
		}
		if w, _ := commandWord(s, i+3+blanks(s, i+3), min(len(s), i+maxCommand)); fits(s, "", w) {
			c.add(span{w.from, w.to, Password})
		}
		return i + 3
	case b == '<' && strings.HasPrefix(s[i:], "<<"):
		if found, ok := hereSecret(s, i); ok {
			c.add(found)
		}
		return i + 2
	case b >= 0x80:
		return c.foreign(i)
	}
	return i + 1
}

// dashes looks for a private key whose first line is at i, and returns the next position.
func (c *scan) dashes(i int) int {
	s := c.s
	if strings.HasPrefix(s[i:], pemBegin) {
		if end := pem(s, i, &c.isKeyCut); end > i {
			return c.take(span{i, end, PrivateKey})
		}
		return i + len(pemBegin)
	}
	return i + len("---")
}

// foreign looks for a non-English keyword and the secret after it, and returns the next position.
func (c *scan) foreign(i int) int {
	w := foreignAt(c.s, i)
	if w == nil {
		return i + 1
	}
	end := i + len(w.rest)
	if found, ok := w.stated(c.s, end); ok {
		c.add(found)
	}
	c.hintEnd, c.hintKind = end, w.key.kind
	return end
}

// skipMarker returns the position after a marker of an earlier pass, or after the byte at i.
func skipMarker(s string, i int) int {
	rest, isMarker := strings.CutPrefix(window(s[i:], 64), markerStart)
	kind, _, isClosed := strings.Cut(rest, "]")
	if isMarker && isClosed && strings.Trim(kind, alphabet[:26]+"0123456789-") == "" {
		return i + len(markerStart) + len(kind) + len("]")
	}
	return i + 1
}

// address looks for a secret in the address at i and returns the next position.
func (c *scan) address(i int) int {
	if found, ok := urlPassword(c.s, i); ok && !strings.Contains(c.s[found.from:found.to], markerStart) {
		return c.take(found)
	}
	if i >= c.addressEnd {
		var found span
		found, c.addressEnd = address(c.s, i)
		c.add(found)
	}
	return i
}

// name handles the name at i: tokens inside it, its value, the arguments of the command that it names, and the
// secret that a sentence states after it. It returns the next position.
func (c *scan) name(i int) int {
	s, limit := c.s, len(c.s)
	if c.next < len(c.found) {
		limit = c.found[c.next].from
	}
	end := max(i, min(c.nameEnd, limit))
	for end < limit && sets[s[end]]&dotted != 0 {
		end++
	}
	c.nameEnd = end
	if mayHoldToken(s, i, end) {
		found, ok := c.tokenIn(i, end)
		if ok {
			return c.take(found)
		}
		end = found.from
	}
	if i == 0 || s[i-1] == '\n' {
		c.add(pgpass(s, i))
	}
	if s[i:end] == "PASS" && strings.HasPrefix(s[end:], ": Test") {
		return end // go test names a test that passed
	}
	if p := programAt(s, i, end); p != nil {
		c.command(p, i, end)
	}
	if found, ok := call(s, i, end); ok {
		c.add(found)
	}
	if v, ok := c.valueOf(i, end); ok {
		to := v.end(s)
		if kind, end := token(s, v.from); end == to {
			v.kind = kind
		}
		return c.take(span{v.from, to, v.kind})
	}
	if k := keywordOf(s, i, end); k != nil {
		c.keyword(k, i, end)
		return end
	}
	return c.near(i, end)
}

// tokenIn finds the first token that begins in the name c.s[i:end]. Without a token, found.from is the end of the name, or the start of a private key in it.
func (c *scan) tokenIn(i, end int) (found span, ok bool) {
	from := i
	for ; from < end; from++ {
		b := c.s[from]
		if b == '-' && from > i && strings.HasPrefix(c.s[from:], pemBegin) {
			break
		}
		if sets[b]&alnum == 0 || from != c.past && from > 0 && sets[c.s[from-1]]&alnum != 0 {
			continue
		}
		if kind, to := token(c.s, from); to > from {
			return span{from, to, kind}, true
		}
	}
	if end-i >= leastMarked && holdsOne(tokenMarks, c.s[i:end]) || isMarked(c.s[i:end]) {
		return span{i, end, Token}, true
	}
	return span{from: from}, false
}

// command reads the command of a program, also a few inside a command that was read: "kubectl exec pod -- mysql -p...".
func (c *scan) command(p *program, from, to int) {
	if p.name[0] != '-' {
		if from >= c.commandEnd {
			c.nested = 0
		}
		if c.nested++; c.nested > 4 {
			return
		}
	}
	found, end := commandSecrets(c.s, p, from, to)
	c.commandEnd = max(c.commandEnd, end)
	c.add(found...)
}

// keyword looks for the secret that a sentence states with a keyword.
func (c *scan) keyword(k *keyword, from, to int) {
	if k.role == against {
		c.againstEnd = to
		return
	}
	if c.isAgainst(from) {
		return // "the public key", "a cache key"
	}
	if k.role == ofKey || k.role == ofPassword {
		c.hintEnd, c.hintKind = to, k.kind
	}
	if found, ok := k.sentence(c.s, from, to); ok {
		c.add(found)
	}
	if k.word == "codes" {
		c.add(codes(c.s, to)...)
	}
}

// isAgainst reports whether the word before i excludes a secret.
func (c *scan) isAgainst(i int) bool { return c.againstEnd >= 0 && i-c.againstEnd <= 2 }

// maxBeside is maxNear for a hexadecimal number.
const maxBeside = 12

// near takes random text close after a keyword. It returns the next position.
func (c *scan) near(i, end int) int {
	s := c.s
	if c.hintEnd < 0 || i < c.hintEnd || i-c.hintEnd > maxNear || c.againstEnd > c.hintEnd || i > 0 && sets[s[i-1]]&any64 != 0 {
		return end
	}
	to, between := spanOf(s, i, any64|dot), s[c.hintEnd:i]
	if to-i < 16 || strings.Contains(between, "\n") && !strings.HasSuffix(between, ": ") ||
		!isKeyNear(between, window(s[i:to], decisionWindow)) {
		return end
	}
	return c.take(span{i, to, c.hintKind})
}

// isKeyNear reports whether a text is the key that a keyword announces. between is the text between the two.
func isKeyNear(between, text string) bool {
	if isPlaceholder(text) || isFingerprint(text) || isSealed(between, text) ||
		strings.HasSuffix(between, "SHA256:") || strings.HasPrefix(text, "0x") {
		return false
	}
	m := makeupOf(text)
	return m.isRandom() || len(between) <= maxBeside && m.isHex() && m.length >= 32
}

// valueOf returns the secret value of the name s[start:end], if any.
func (c *scan) valueOf(start, end int) (value, bool) {
	s, name := c.s, c.s[start:end]
	at, style := c.separator(start, end)
	if style == apart {
		if at = c.withoutSeparator(start, end); at == 0 {
			return value{}, false
		}
		style = spaced
	}
	if style == colon {
		found, isDone := documentSecrets(s, name, start, at)
		c.add(found...)
		if isDone {
			return value{}, false
		}
	}
	at = belowName(s, at)
	v := valueAt(s, at, style)
	if v.close != "" && v.from < len(s) && (s[v.from] == ' ' || s[v.from] == v.close[len(v.close)-1]) {
		return value{}, false // "", and read -p "Password: " VARIABLE
	}
	if name == "secret" && style == colon && start > 1 && s[start-1] == ':' && isDigit(s[start-2]) {
		return value{}, false // arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME
	}
	v.query = start > 0 && (s[start-1] == '?' || s[start-1] == '&')
	return c.secretOfName(v, start, end, at)
}

// secretOfName decides whether v, the value of the name c.s[start:end], is a secret. Its separator ends at at.
func (c *scan) secretOfName(v value, start, end, at int) (value, bool) {
	s, name := c.s, c.s[start:end]
	v.kind = kindOfName(name)
	if name == "value" && strings.Contains(s[max(0, start-maxNear):start], `"sensitive": true`) {
		v.kind = Secret // an output of Terraform
	}
	switch {
	case v.kind == "":
		return v.likely(s, name, c.isAgainst(start))
	case v.kind == Authorization:
		return v.credential(s)
	case v.kind != Password && c.isAgainst(start):
		return v, false
	case v.isSecret(s):
		return v, true
	}
	return v.behind(s, at)
}

// separator returns the start of a name's value and its style. It first rules out the common case, a blank and another
// word: that is cheaper than checking the name.
func (c *scan) separator(start, end int) (int, style) {
	s := c.s
	isFlag := s[start] == '-'
	if end+1 >= len(s) || s[end] == ' ' && isLetter(s[end+1]) && !isFlag && s[end-1]|0x20 != 'r' {
		return end, apart
	}
	return separator(s, end, isFlag && end-start > 3)
}

// valueAt returns the value whose text begins at i, after a type letter and a quotation mark.
func valueAt(s string, i int, style style) value {
	if style != colon && style != beside && i+1 < len(s) && strings.IndexByte("NbrufLE@$", s[i]) >= 0 && quoteAt(s, i+1) != "" {
		i++ // N'...', b"...", @"..."
	}
	if style == colon && i < len(s) && s[i] == '-' && s[i-1] == ':' {
		i++ // ${NAME:-...}
	}
	if i < len(s) && s[i] == '[' && quoteAt(s, i+1) != "" {
		i++ // the first element of a list
	}
	quote := quoteAt(s, i)
	return value{from: i + len(quote), close: quote, style: style}
}

// behind finds a value after a type (name: Type = value), or the default after a variable that is read first (env(X) || value).
func (v value) behind(s string, at int) (value, bool) {
	if v.close != "" {
		return v, false
	}
	for _, at := range [...]int{typedValue(s, at), otherwise(s, at)} {
		if quote := quoteAt(s, at); at > 0 && quote != "" {
			v.from, v.close, v.style = at+len(quote), quote, spaced
			return v, v.isSecret(s)
		}
	}
	return v, false
}

// withoutSeparator looks for a value that no separator joins to its name, and for a column below the name. It returns the start of the value, or 0.
func (c *scan) withoutSeparator(start, end int) int {
	s, name := c.s, c.s[start:end]
	if end >= len(s) {
		return 0
	}
	kind := kindOfName(name)
	if kind != "" && strings.IndexByte("\"'>,<(\n\\ \t|)&%", s[end]) >= 0 {
		if at := valueElsewhere(s, start, end); at > 0 {
			return at
		}
		c.add(column(s, start, end, kind)...)
	}
	if s[end] == ' ' && kind != "" && keywordAt(name) == nil && !c.isAgainst(start) {
		c.hintEnd, c.hintKind = end, kind
	}
	return 0
}
