package redact

import "strings"

// assigned is a value that must be removed.
type assigned struct {
	kind  string
	from  int
	close string // the quote that ends it, "" for none
	query bool   // it is a parameter in an address
}

// end is where the value ends. Only here the whole of it is read.
func (v assigned) end(s string) int { return v.from + len(v.text(s[v.from:])) }

// text is the value that s begins with.
func (v assigned) text(s string) string { return valueText(s, v.close, v.query) }

// kindOf prefers the kind that the value shows over the kind that its name suggests.
func (v assigned) kindOf(c *scan, to int) string {
	if kind, end := c.token(v.from); end == to {
		return kind
	}
	return v.kind
}

// conf takes the password of "requirepass PASSWORD": a line with two words, as in
// settings files.
func (c *scan) conf(name string, start, end int) {
	line := c.s[max(0, start-24):start]
	line = strings.TrimSpace(line[strings.LastIndexByte(line, '\n')+1:])
	if kind := kindOfName(name); line != "" && !isName(line) || kind != Password && (kind != Secret || line == "") {
		return
	}
	from := end + blanks(c.s, end)
	text := valueText(window(c.s[from:], decisionWindow), "", false)
	if to := from + len(text); isOdd(text) && (to == len(c.s) || c.s[to] == '\n' || c.s[to] == '\r') {
		c.ahead(span{from, to, Password})
	}
}

// valueOf finds the secret that the name s[start:end] is given, if any.
func (c *scan) valueOf(start, end int) (assigned, bool) {
	s := c.s
	name := s[start:end]
	// Most words are followed by neither: that is cheaper to see than the name.
	at, style := end, noSeparator
	if end+1 >= len(s) || s[end] != ' ' || !isLetter(s[end+1]) || name[0] == '-' || s[end-1]|0x20 == 'r' { // else as between most words
		at, style = separator(s, end, name[0] == '-' && len(name) > 3)
	}
	if style == noSeparator && end < len(s) && strings.IndexByte("\"'>,<(\n\\ \t|)&%", s[end]) >= 0 && kindOfName(name) != "" {
		if far, ok := farValue(s, start, end); ok {
			at, style = far, spaced
		} else {
			c.column(start, end, kindOfName(name))
		}
	}
	if style == noSeparator {
		if mayHold(name) && end < len(s) && s[end] == ' ' {
			c.conf(name, start, end)
			if kind := kindOfName(name); kind != "" && keywordAt(name) == nil && (c.againstEnd < 0 || start-c.againstEnd > 2) {
				c.hintEnd, c.hintKind = end, kind
			}
		}
		return assigned{}, false
	}
	if style == colon && s[end] == ':' && at == end+1 && isName(name) {
		if found, ok := addressed(s, end); ok {
			c.ahead(found)
			return assigned{}, false
		}
	}
	if c.structured(name, start, at, style) {
		return assigned{}, false
	}
	switch {
	case style == colon:
		at = blockScalar(s, at)
	case style != onlyBlank && at+1 < len(s) && strings.IndexByte("NbrufLE@$", s[at]) >= 0 && quoteAt(s, at+1) != "":
		at++ // N'...', b"...", @"..."
	}
	if at < len(s) && s[at] == '[' && quoteAt(s, at+1) != "" {
		at++ // a list: the first of it
	}
	inQuery := start > 0 && (s[start-1] == '?' || s[start-1] == '&')
	quote := quoteAt(s, at)
	if quote != "" && isShort(s, at+len(quote), quote[len(quote)-1]) {
		return assigned{}, false
	}
	v := assigned{kind: kindOfName(name), from: at + len(quote), close: quote, query: inQuery}
	switch {
	case v.kind == "":
		return c.likelyValue(v, name, start, style)
	case v.kind == Authorization:
		return v.credential(s, style)
	case v.kind != Password && c.againstEnd >= 0 && start-c.againstEnd == 1:
		return v, false
	case v.isSecret(s, style):
		return v, true
	case style == colon && quote == "":
		typed := typedValue(s, at)
		quote = quoteAt(s, typed)
		if typed > 0 && quote != "" {
			v.from, v.close = typed+len(quote), quote
			return v, v.isSecret(s, spaced)
		}
	}
	if quote == "" && style != tight {
		if or := otherwise(s, at); or > 0 {
			v.close = quoteAt(s, or)
			v.from = or + len(v.close)
			return v, v.isSecret(s, spaced)
		}
	}
	return v, false
}

func (v assigned) isSecret(s string, style separatorStyle) bool {
	text := v.text(window(s[v.from:], decisionWindow))
	if style == onlyBlank && (v.kind != Password || v.close == "") {
		return false
	}
	if !looksSecret(text, v.kind, style, v.close != "") {
		return false
	}
	// A sealed secret may be read by everybody.
	return len(text) < 100 || !strings.HasPrefix(text, "Ag") || !strings.Contains(s[max(0, v.from-maxCommand):v.from], "encryptedData:")
}

// likelyValue takes a machine-made value whose name may be that of a secret.
func (c *scan) likelyValue(v assigned, name string, start int, style separatorStyle) (assigned, bool) {
	if style == onlyBlank || !isLong(c.s, v.from) {
		return v, false // cheaper to see than the name
	}
	isHeader := style == colon && hasFold(name, 0, "x-")
	if name == "accounts" && strings.HasPrefix(c.s[v.from:], "0x") { // of a wallet
		text := v.text(window(c.s[v.from:], decisionWindow))
		v.kind = PrivateKey
		return v, len(text) == 66 && makeupOf(text[2:]).isHex()
	}
	if !v.query && !isHeader && !mayHold(name) && !hasSecretPart(name) {
		return v, false
	}
	v.kind = likelyKind(name)
	if v.kind == "" && isHeader && !isDescriptor(name) {
		v.kind = Token // X-Honeycomb-Team
	}
	if v.kind == "" && v.query && has("code tempauth hmac", strings.ToLower(window(name, 16))) {
		v.kind = Token
	}
	if v.kind == "" || c.againstEnd >= 0 && start-c.againstEnd <= 2 {
		return v, false
	}
	text := v.text(window(c.s[v.from:], decisionWindow))
	if v.query && len(text) >= 10 && len(text) < 16 && isShortKey(text) {
		return v, true
	}
	if len(text) == 36 && !v.query && isUUID(text) && isSessionID(name) {
		return v, false // as in whatever the client tells hooks
	}
	if len(text) < 12 || isPlaceholder(text) || v.close == "" && isCode(text) || strings.Contains(text, "://") {
		return v, false
	}
	if algorithm, value, ok := strings.Cut(text, "="); ok && has("sha1 sha256 sha512 v0 v1", algorithm) {
		v.from += len(algorithm) + 1 // X-Hub-Signature: sha256=...
		text = value
	}
	m := makeupOf(text)
	switch {
	case isUserAndPassword(text):
		return v, true
	case v.kind == Token && isSession(name) && m.length >= 20 && m.others == 0 && m.digits >= 3 && m.changes >= 6:
		return v, true
	case strings.Count(text, "-") > 2 && m.upper == 0 && !isUUID(text[max(0, len(text)-36):]):
		return v, false // go-mod-linux-0a1b2c3d
	case m.isRandom():
		return v, true
	case isUUID(text[max(0, len(text)-36):]) && len(text) <= 48 || m.isHex():
		isBare := len(name) <= len("keys")
		return v, m.length >= 20 && (v.query || !isBare && (v.kind == APIKey || v.kind == Secret || v.kind == Token))
	}
	return v, false
}

// isSessionID reports that a name is that of the id of a session of anything. Those
// that let somebody in are random, not UUIDs.
func isSessionID(name string) bool {
	var folded [longestEnding]byte
	return endsWith(endingOf(name, &folded), "sessionid")
}

// isShortKey reports letters of both cases and digits that are in no word.
func isShortKey(s string) bool {
	m := makeupOf(s)
	return m.others == 0 && m.digits > 0 && m.upper > 1 && m.lower > 1 && m.changes >= 2 && !isPlaceholder(s)
}

// isLong reports that what begins at i is long enough for a key, without a blank.
func isLong(s string, i int) bool {
	const least = 10
	if i+least > len(s) {
		return false
	}
	for _, b := range []byte(s[i : i+least]) {
		if sets[b]&(any64|dot|colons) == 0 && b != '%' {
			return false
		}
	}
	return true
}

// isShort reports a string of less than five bytes, or whose first word is that
// short: it is no secret, and "Basic" is the shortest word before one.
func isShort(s string, i int, quote byte) bool {
	for _, b := range []byte(window(s[i:], len("Basic"))) {
		if b == quote || b == ' ' {
			return true
		}
		if b == '\\' {
			return false
		}
	}
	return false
}

// isSession reports that a name is one of a session and of nothing else.
func isSession(name string) bool {
	return has("session sessionid session_id sessid phpsessid jsessionid sid", strings.ToLower(window(name, 16)))
}

// addressed finds the password of "alice:SECRET@tcp(db1:3306)" and of
// "alice:SECRET@db1.acme.io:5432", as drivers take it, for the name that ends at end.
func addressed(s string, end int) (span, bool) {
	from := end + 1
	to := from
	for to < len(s) && to-from < 128 && !isBlank(s[to]) && strings.IndexByte("@/\"'`<>,;", s[to]) < 0 {
		to++
	}
	if to >= len(s) || s[to] != '@' || to-from < 4 || isPlaceholder(s[from:to]) {
		return span{}, false
	}
	found := span{from, to, URLPassword}
	host := window(s[to+1:], 64)
	if strings.HasPrefix(host, "tcp(") || strings.HasPrefix(host, "unix(") || strings.HasPrefix(host, "(") {
		return found, true
	}
	host = host[:spanOf(host, 0, dotted)]
	if !isOdd(s[from:to]) || has("sha256 sha512", host) || !strings.Contains(host, ".") && host != "localhost" {
		return span{}, false
	}
	return found, !isDigit(host[0]) || strings.Count(host, ".") == 3
}

// farValue finds the value of a name that stands before it in XML, in the call of
// a function, or in a list of names and values.
func farValue(s string, start, end int) (int, bool) {
	before, rest := byte(0), window(s[end:], 96)
	if start > 0 {
		before = s[start-1]
	}
	for _, mark := range [...]string{`">`, `'>`, "&gt;", "%22%3A%22"} { // <Property name="password">...
		if strings.HasPrefix(rest, mark) && (mark[0] == '&' || mark[0] == '%' || before == mark[0]) {
			return end + len(mark), true
		}
	}
	if strings.HasPrefix(rest, ", ") && quoteAt(rest, 2) != "" && strings.ToUpper(s[start:end]) == s[start:end] {
		return end + 2, true // setopt(handle, USERPWD, "...")
	}
	if before == '<' {
		if at := elementText(s, end); at > 0 {
			closing := "</" + s[start:end] + ">" // <password>...</password>
			return at, strings.Contains(window(s[at:], decisionWindow), closing)
		}
	}
	if strings.HasPrefix(rest, "</key>") { // a property list
		if at := strings.Index(rest, "<string>"); at >= 0 && strings.TrimSpace(rest[len("</key>"):at]) == "" {
			return end + at + len("<string>"), true
		}
	}
	after := 0
	if quote := quoteAt(s, max(0, start-1)); start > 0 && quote != "" && strings.HasPrefix(rest, quote) {
		after = len(quote)
		after += blanks(rest, after)
		if strings.HasSuffix(strings.TrimRight(s[max(0, start-4):start-1], " "), "(") && after < len(rest) && rest[after] == ',' {
			after++
			after += blanks(rest, after)
			if quoteAt(rest, after) != "" {
				return end + after, true // define("DB_PASSWORD", "...")
			}
		}
	}
	if strings.HasPrefix(rest, "(") && quoteAt(rest, 1) != "" && callTakes(s[start:end], quotedText(rest[2:], rest[1:2])) {
		return end + 1, true // PASSWORD('...')
	}
	for after < len(rest) && (isBlank(rest[after]) || rest[after] == ',') {
		after++
	}
	for _, word := range [...]string{"value", `"value`, `'value`, `\"value`, "content", "ParameterValue", "OptionValue"} {
		if len(rest) < after+len(word) || !strings.EqualFold(rest[after:after+len(word)], word) {
			continue
		}
		if found, style := separator(s, end+after+len(word), false); style == tight || style == colon || style == spaced {
			return found, true
		}
	}
	for _, flag := range [...]string{"--data ", "--value ", "--value=", "--body ", "--secret-value ", "--data="} {
		if strings.HasPrefix(rest[after:], flag) { // secret add --name db_password --data ...
			at := end + after + len(flag)
			return at + blanks(s, at), true
		}
	}
	return 0, false
}

// elementText is where the text of an element begins whose name ends at end: behind
// its attributes, and behind an element of its own. It is 0 for no element.
func elementText(s string, end int) int {
	at := end
	for at < len(s) && s[at] != '>' && s[at] != '\n' && s[at] != '<' && at-end < 80 {
		at++
	}
	if at >= len(s) || s[at] != '>' || s[at-1] == '/' || at > end && s[end] != ' ' {
		return 0
	}
	at++
	inner := at
	for inner < len(s) && isBlank(s[inner]) && inner-at < 40 {
		inner++
	}
	if inner < len(s) && s[inner] == '<' {
		if close := strings.IndexByte(window(s[inner:], 40), '>'); close > 1 && s[inner+1] != '/' {
			return inner + close + 1
		}
	}
	return at
}

// callTakes reports that the argument of a function is the secret in its name. A
// function that gets or checks a secret has other arguments.
func callTakes(name, value string) bool {
	for _, verb := range [...]string{"get", "check", "verify", "validate", "reset", "has", "find", "is", "read", "load", "fetch", "use"} {
		if hasFold(name, 0, verb) {
			return false
		}
	}
	if kindOfName(name) == Password {
		return isOdd(value)
	}
	return isMachineMade(value)
}

// otherwise finds the string of "env(X) || 'SECRET'" in the line from at on, or
// returns 0.
func otherwise(s string, at int) int {
	line := window(restOfLine(s[at:]), 120)
	for _, or := range [...]string{"|| ", "?? ", " or ", "?: ", "||"} {
		if i := strings.Index(line, or); i > 0 && quoteAt(line, i+len(or)) != "" {
			return at + i + len(or)
		}
	}
	return 0
}

// typedValue finds the value in "name: Type = value", or returns 0.
func typedValue(s string, at int) int {
	stop := min(len(s), at+40)
	for i := at; i < stop; i++ {
		if s[i] == '=' && i > at && i+1 < len(s) && s[i+1] != '=' && s[i+1] != '>' {
			return i + 1 + blanks(s, i+1)
		}
		if !isAlnum(s[i]) && strings.IndexByte(" &_.<>?[]|'", s[i]) < 0 {
			return 0
		}
	}
	return 0
}
