package redact

import "strings"

// assigned is a value that has to go.
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

// kindOf prefers what the value itself shows over what its name says.
func (v assigned) kindOf(c *scan, to int) string {
	if kind, end := c.token(v.from); end == to {
		return kind
	}
	return v.kind
}

// conf takes the password of "requirepass PASSWORD": a line with two words, as in
// settings files.
func (c *scan) conf(name string, start, end int) {
	if start > 0 && c.s[start-1] != '\n' || kindOfName(name) != Password {
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
	at, style := separator(s, end, name[0] == '-' && len(name) > 3)
	if style == noSeparator && end < len(s) && strings.IndexByte("\"'>,<(\n\\", s[end]) >= 0 && kindOfName(name) != "" {
		if far, ok := farValue(s, start, end); ok {
			at, style = far, spaced
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
	if c.structured(name, start, at, style) {
		return assigned{}, false
	}
	inQuery := start > 0 && (s[start-1] == '?' || s[start-1] == '&')
	quote := quoteAt(s, at)
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
		v.from, v.close = typed+len(quote), quote
		return v, typed > 0 && quote != "" && v.isSecret(s, spaced)
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

// likelyValue takes what a machine made and a name says may be a secret.
func (c *scan) likelyValue(v assigned, name string, start int, style separatorStyle) (assigned, bool) {
	if style == onlyBlank || !v.query && !mayHold(name) && !hasSecretPart(name) {
		return v, false
	}
	v.kind = likelyKind(name)
	if v.kind == "" && v.query && has("code tempauth hmac", strings.ToLower(window(name, 16))) {
		v.kind = Token
	}
	if v.kind == "" || c.againstEnd >= 0 && start-c.againstEnd <= 2 {
		return v, false
	}
	text := v.text(window(c.s[v.from:], decisionWindow))
	if len(text) < 12 || isPlaceholder(text) || v.close == "" && isCode(text) || strings.Contains(text, "://") {
		return v, false
	}
	m := makeupOf(text)
	switch {
	case isUserAndPassword(text):
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

// farValue finds the value of a name that stands before it in XML, in the call of
// a function, or in a list of names and values.
func farValue(s string, start, end int) (int, bool) {
	if start == 0 {
		return 0, false
	}
	before, rest := s[start-1], window(s[end:], 96)
	if before == '<' && rest != "" && rest[0] == '>' {
		closing := "</" + s[start:end] + ">" // <password>...</password>
		return end + 1, strings.Contains(window(s[end:], decisionWindow), closing)
	}
	if strings.HasPrefix(rest, "</key>") { // a property list
		if at := strings.Index(rest, "<string>"); at >= 0 && strings.TrimSpace(rest[len("</key>"):at]) == "" {
			return end + at + len("<string>"), true
		}
	}
	after := 0
	if quote := quoteAt(s, start-1); quote != "" && strings.HasPrefix(rest, quote) {
		after = len(quote)
		after += blanks(rest, after)
		if start > 1 && s[start-2] == '(' && after < len(rest) && rest[after] == ',' {
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
	for _, word := range [...]string{"value", `"value`, `'value`, `\"value`, "ParameterValue", "OptionValue"} {
		if len(rest) < after+len(word) || !strings.EqualFold(rest[after:after+len(word)], word) {
			continue
		}
		if found, style := separator(s, end+after+len(word), false); style == tight || style == colon || style == spaced {
			return found, true
		}
	}
	return 0, false
}

// callTakes reports that what a function is called with is what its name says. One
// that gets or checks a secret is called with something else.
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
