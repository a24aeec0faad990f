package redact

import "strings"

// secretNames are how names end that hold secrets, without "_", "-", "." and in
// lower case, and the kind each is.
var secretNames = [...]struct{ ending, kind string }{
	{"password", Password},
	{"passwd", Password},
	{"passphrase", Password},
	{"pwd", Password},
	{"secret", Secret},
	{"token", Token},
	{"apikey", APIKey},
	{"secretaccesskey", AWSKey},
	{"accesskey", AccessKey},
	{"secretkey", Secret},
	{"privatekey", Secret},
	{"authkey", APIKey},
	{"signingkey", Secret},
	{"encryptionkey", Secret},
	{"authorization", Authorization},
	{"bearer", Authorization},
}

const longestEnding = len("secretaccesskey")

// kindOfName says what a name holds, or "".
func kindOfName(name string) string {
	var folded [longestEnding]byte
	at := len(folded)
	for i := len(name) - 1; i >= 0 && at > 0; i-- {
		if isAlnum(name[i]) {
			at--
			folded[at] = lower(name[i])
		}
	}
	ending := string(folded[at:])
	for i := range secretNames {
		if strings.HasSuffix(ending, secretNames[i].ending) {
			return secretNames[i].kind
		}
	}
	if at := len(name) - len("pass"); at > 0 && hasFold(name, at, "pass") && !isAlnum(name[at-1]) {
		return Password // DB_PASS, --pass; not bypass
	}
	return ""
}

// assigned is a value that has to go.
type assigned struct {
	kind  string
	from  int
	close string // the quote that ends it, "" for none
}

// end is where the value ends. Only here the whole of it is read.
func (v assigned) end(s string) int {
	return v.from + len(valueText(s[v.from:], v.close))
}

// kindOf prefers what the value itself shows over what its name says.
func (v assigned) kindOf(c *scan, to int) string {
	if kind, end := c.token(v.from); end == to {
		return kind
	}
	return v.kind
}

// valueOf finds the secret that the name s[start:end] is given, if any.
func valueOf(s string, start, end int) (assigned, bool) {
	name := s[start:end]
	// Most words are followed by neither: that is cheaper to see than the name.
	at, style := separator(s, end, strings.HasPrefix(name, "--"))
	if style == noSeparator {
		return assigned{}, false
	}
	kind := kindOfName(name)
	if kind == "" {
		return assigned{}, false
	}
	quote := quoteAt(s, at)
	at += len(quote)
	v := assigned{kind: kind, from: at, close: quote}
	if kind == Authorization {
		return v.credential(s, style)
	}
	text := valueText(window(s[at:], decisionWindow), quote)
	if style == onlyBlank && (kind != Password || quote == "") {
		return assigned{}, false
	}
	return v, looksSecret(text, kind, style, quote != "")
}

// curlWindow is how far before its option the word curl is looked for.
const curlWindow = 256

// userPassword finds the password of "curl -u name:password" and of --user, which
// other programs have for other things.
func userPassword(s string, start, end int) (assigned, bool) {
	if name := s[start:end]; name != "-u" && name != "--user" {
		return assigned{}, false
	}
	if !strings.Contains(s[max(0, start-curlWindow):start], "curl") {
		return assigned{}, false
	}
	at := end + blanks(s, end)
	if at < len(s) && s[at] == '=' {
		at++
	}
	quote := quoteAt(s, at)
	at += len(quote)
	user, password, found := strings.Cut(valueText(window(s[at:], decisionWindow), quote), ":")
	if !found || at == end || isPlaceholder(password) {
		return assigned{}, false
	}
	return assigned{kind: Password, from: at + len(user) + 1, close: quote}, true
}

// credential passes over the scheme of "Authorization: Bearer xyz". The bare
// words "Bearer xyz" count when xyz looks the part.
func (v assigned) credential(s string, style separatorStyle) (assigned, bool) {
	text := valueText(window(s[v.from:], decisionWindow), "")
	if style == onlyBlank {
		return v, len(text) >= 16 && digitsIn(text) > 0 && !isPlaceholder(text) && !isCode(text)
	}
	next := v.from + len(text)
	if isScheme(text) && next < len(s) && s[next] == ' ' {
		v.from = next + 1
		v.close = ""
		text = valueText(window(s[v.from:], decisionWindow), "")
		return v, len(text) >= 6 && !isPlaceholder(text)
	}
	v.close = ""
	return v, len(text) >= 8 && digitsIn(text) > 0 && !isPlaceholder(text) && !isCode(text)
}

func isScheme(s string) bool {
	for _, scheme := range [...]string{"bearer", "basic", "token", "digest", "apikey", "negotiate"} {
		if len(s) == len(scheme) && hasFold(s, 0, scheme) {
			return true
		}
	}
	return false
}

// separatorStyle is how a name and its value stand together. It says how likely
// the value is a literal.
type separatorStyle uint8

const (
	noSeparator separatorStyle = iota
	tight                      // name=value, --name value: as in a shell or an .env file
	spaced                     // name = value: as in code
	colon                      // name: value, as in YAML and JSON
	onlyBlank                  // name 'value', as in SQL; Bearer value
)

// separator finds where the value begins for a name that ends at i.
func separator(s string, i int, flag bool) (int, separatorStyle) {
	before := i
	i = afterClosingQuote(s, i)
	gap := blanks(s, i)
	i += gap
	if i >= len(s) {
		return i, noSeparator
	}
	rest := s[i:]
	var style separatorStyle
	width := 1
	switch {
	case strings.HasPrefix(rest, ":=") || strings.HasPrefix(rest, "=>") || strings.HasPrefix(rest, "?="):
		style, width = spaced, 2
	case strings.HasPrefix(rest, "==") || strings.HasPrefix(rest, "::"):
		return i, noSeparator
	case rest[0] == '=':
		style = spaced
	case rest[0] == ':':
		style = colon
	case gap > 0 && flag && rest[0] != '-':
		return i, tight
	case gap > 0 && (quoteAt(s, i) != "" || lower(s[before-1]) == 'r'):
		return i, onlyBlank // after a quote as in SQL, or the word "bearer"
	default:
		return i, noSeparator
	}
	after := blanks(s, i+width)
	if style == spaced && width == 1 && gap == 0 && after == 0 {
		style = tight
	}
	return i + width + after, style
}

// afterClosingQuote passes over what ends "name", \"name\" and ["name"].
func afterClosingQuote(s string, i int) int {
	quote := quoteAt(s, i)
	i += len(quote)
	if quote != "" && i < len(s) && s[i] == ']' {
		i++
	}
	return i
}

func blanks(s string, i int) int {
	n := 0
	for n < maxGap && i+n < len(s) && (s[i+n] == ' ' || s[i+n] == '\t') {
		n++
	}
	return n
}

// quoteAt is the quotation mark at i, with the backslash it has inside JSON.
func quoteAt(s string, i int) string {
	if i >= len(s) {
		return ""
	}
	switch s[i] {
	case '"', '\'', '`':
		return s[i : i+1]
	case '\\':
		if i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\'') {
			return s[i : i+2]
		}
	}
	return ""
}

// valueText is the value that s begins with, up to quote or, without one, to
// where a shell or a query string would end it.
func valueText(s, quote string) string {
	if quote != "" {
		return quotedText(s, quote)
	}
	end := 0
	for end < len(s) && !isBlank(s[end]) && strings.IndexByte("\"'`;&<>|", s[end]) < 0 {
		end++
	}
	if end < len(s) && end > 0 && s[end-1] == '\\' && (s[end] == '"' || s[end] == '\'') {
		end-- // the backslash belongs to the quotation mark
	}
	return strings.TrimRight(s[:end], ",)]}.:")
}

func quotedText(s, quote string) string {
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], quote) || s[i] == '\n':
			return s[:i]
		case s[i] == '\\':
			i++
		}
	}
	return s
}
