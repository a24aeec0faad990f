package redact

import "strings"

// credential passes over the scheme of "Authorization: Bearer xyz". The bare
// words "Bearer xyz" count when xyz looks the part.
func (v assigned) credential(s string, style separatorStyle) (assigned, bool) {
	text := valueText(window(s[v.from:], decisionWindow), "", false)
	if style == onlyBlank {
		return v, len(text) >= 16 && digitsIn(text) > 0 && !isPlaceholder(text) && !isCode(text)
	}
	next := v.from + len(text)
	if isScheme(text) && next < len(s) && s[next] == ' ' {
		v.from = next + 1
		v.close = ""
		text = valueText(window(s[v.from:], decisionWindow), "", false)
		return v, len(text) >= 6 && !isPlaceholder(text) && !has("abc123 token secret access_token your_token", text)
	}
	v.close = ""
	return v, len(text) >= 8 && digitsIn(text) > 0 && !isPlaceholder(text) && !isCode(text)
}

func isScheme(s string) bool {
	for _, scheme := range [...]string{"bearer", "basic", "token", "digest", "apikey", "api-token", "negotiate", "ssws", "splunk", "geniekey", "bot", "key", "oauth", "sso-key", "sharedkey", "hmac", "jwt"} {
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

// quoteAt is the quotation mark at i, with the backslashes it has inside JSON that
// is itself in JSON.
func quoteAt(s string, i int) string {
	if i >= len(s) {
		return ""
	}
	switch s[i] {
	case '"', '\'', '`':
		return s[i : i+1]
	case '\\':
		end := i + 1
		for end < len(s) && s[end] == '\\' && end-i < maxEscapes {
			end++
		}
		if end < len(s) && (s[end] == '"' || s[end] == '\'') {
			return s[i : end+1]
		}
	}
	return ""
}

// maxEscapes is how many backslashes a quotation mark has in JSON four times in JSON.
const maxEscapes = 15

// blockScalar is where the text of a YAML block begins whose "|" or ">" is at i, or i.
func blockScalar(s string, i int) int {
	if i >= len(s) || s[i] != '|' && s[i] != '>' {
		return i
	}
	at := i + 1
	for at < len(s) && (s[at] == '-' || s[at] == '+' || isDigit(s[at])) {
		at++
	}
	at += blanks(s, at)
	if at >= len(s) || s[at] != '\n' {
		return i
	}
	if gap := blanks(s, at+1); gap > 0 {
		return at + 1 + gap
	}
	return i
}

// valueText is the value that s begins with, up to quote or, without one, to
// where a shell or, in an address, a query string would end it.
func valueText(s, quote string, inQuery bool) string {
	if quote != "" {
		return quotedText(s, quote)
	}
	end := 0
	for end < len(s) && !isBlank(s[end]) && strings.IndexByte("\"'`;<>|", s[end]) < 0 {
		if s[end] == '&' && (inQuery || endsAtAmpersand(s, end)) || s[end] == '#' && inQuery || s[end] == ',' && startsName(s, end+1) {
			break
		}
		end++
	}
	if end < len(s) && end > 0 && s[end-1] == '\\' && (s[end] == '"' || s[end] == '\'') {
		end-- // the backslash belongs to the quotation mark
	}
	return strings.TrimRight(s[:end], ",)]}.:")
}

// endsAtAmpersand takes "secret&next=1" and "secret && true" apart from "sec&ret".
func endsAtAmpersand(s string, at int) bool {
	return at+1 >= len(s) || s[at+1] == '&' || isBlank(s[at+1]) || startsName(s, at+1)
}

// startsName reports that a name and "=" stand at i.
func startsName(s string, i int) bool {
	from := i
	for i < len(s) && isIdentByte(s[i]) && i-from < 40 {
		i++
	}
	return i > from && i < len(s) && s[i] == '='
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
