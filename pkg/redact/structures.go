package redact

import "strings"

// structured handles names whose meaning depends on their place: a Cookie header,
// the data of a Kubernetes secret, the private part of a JSON web key or
// of a PuTTY key. It reports whether the name needs no other check.
func (c *scan) structured(name string, start, at int, style separatorStyle) bool {
	if style != colon || len(name) > len("Private-Lines") {
		return false
	}
	switch first := name[0] | 0x20; first {
	case 'c', 'd', 'k', 'o', 'p', 'q', 's', 't': // of what is looked for
	default:
		return false
	}
	switch {
	case (strings.EqualFold(name, "cookie") || strings.EqualFold(name, "set-cookie")):
		c.cookies(at, strings.EqualFold(name, "set-cookie"))
		return true
	case (name == "data" || name == "stringData") && c.manifest.holds(c.s, "kind: Secret\n", `"kind":"Secret"`, `"kind": "Secret"`, "kind: Secret\r", "kind: Secret "):
		c.manifestData(start, at)
		return true
	case name == "data" && strings.HasSuffix(strings.TrimRight(c.s, " \n"), "kind: Secret"):
		c.manifestData(start, at)
		return true
	case name == "stringData":
		c.manifestData(start, at)
		return true
	case len(name) <= 2 && has("d p q k dp dq qi", name) && c.keySet.holds(c.s, `"kty"`, `\"kty\"`):
		if quote := quoteAt(c.s, at); quote != "" {
			from := at + len(quote)
			if value := quotedText(c.s[from:], quote); len(value) >= 16 && spanOf(value, 0, any64) == len(value) {
				c.ahead(span{from, from + len(value), PrivateKey})
			}
		}
		return true
	case (name == "thin" || name == "oci") && start > 7 && c.s[start-7:start] == "oracle:":
		word, _ := readWord(c.s, at, min(len(c.s), at+maxCommand))
		c.ahead(oraclePassword(commandLine{s: c.s, args: []argument{word}})...)
		return true
	case name == "Private-Lines":
		c.puttyKey(at)
		return true
	}
	return false
}

// cookies takes the values of a Cookie header, of which those of sessions are
// secrets. A Set-Cookie header has only one, and attributes.
func (c *scan) cookies(at int, isSet bool) {
	end := at
	for end < len(c.s) && end-at < 4096 && c.s[end] != '\n' && c.s[end] != '\r' && c.s[end] != '"' && c.s[end] != '\'' {
		end++
	}
	for at < end {
		for at < end && (isBlank(c.s[at]) || c.s[at] == ';') {
			at++
		}
		next := at
		for next < end && c.s[next] != ';' {
			next++
		}
		name, value, ok := strings.Cut(c.s[at:next], "=")
		if ok && len(value) >= 8 && isCookie(name, value) {
			from := at + len(name) + 1
			c.ahead(span{from, next, Cookie})
		}
		if isSet {
			return
		}
		at = next + 1
	}
}

func isCookie(name, value string) bool {
	if isPlaceholder(window(value, decisionWindow)) {
		return false
	}
	if kindOfName(name) != "" || has("session token key sid sessionid auth jwt", likelyWord(name)) {
		return digitsIn(value) > 0 && len(value) >= 8 || len(value) >= 16
	}
	return len(value) >= 16 && isMachineMade(value)
}

func likelyWord(name string) string {
	for _, word := range [...]string{"session", "sid", "auth", "jwt", "token"} {
		if containsFold(name, word) {
			return word
		}
	}
	return ""
}

// maxEntries bounds how many values of one manifest are taken in one pass.
const maxEntries = 64

// manifestData takes all values under "data" and "stringData" of a Kubernetes
// secret, as YAML or JSON.
func (c *scan) manifestData(start, at int) {
	if at < len(c.s) && c.s[at] == '{' {
		c.jsonData(at + 1)
		return
	}
	if at >= len(c.s) || c.s[at] != '\n' && c.s[at] != '\r' {
		return
	}
	indent := 0
	for start-indent > 0 && (c.s[start-indent-1] == ' ' || c.s[start-indent-1] == '-') {
		indent++
	}
	for range maxEntries {
		line := strings.IndexByte(c.s[at:], '\n')
		if line < 0 {
			return
		}
		at += line + 1
		from := at
		for at < len(c.s) && c.s[at] == ' ' {
			at++
		}
		text := window(c.s[at:], maxCommand)
		if end := strings.IndexByte(text, '\n'); end >= 0 {
			text = text[:end]
		}
		name, value, ok := strings.Cut(text, ": ")
		if at-from <= indent || !ok {
			return
		}
		trimmed := strings.Trim(strings.TrimSpace(value), `"'`)
		if len(trimmed) >= 4 && !isPlaceholder(window(trimmed, decisionWindow)) && trimmed[0] != '|' && trimmed[0] != '>' {
			begin := at + len(name) + 2 + strings.Index(value, trimmed)
			end := begin + len(trimmed)
			if len(text) == maxCommand { // a long value, wholly
				end = at + len(text)
				for end < len(c.s) && !isBlank(c.s[end]) {
					end++
				}
			}
			c.ahead(span{begin, end, Secret})
		}
	}
}

func (c *scan) jsonData(at int) {
	for range maxEntries {
		name := strings.IndexByte(window(c.s[at:], 256), '"')
		if name < 0 || strings.IndexByte(c.s[at:at+name], '}') >= 0 {
			return
		}
		at += name + 1
		key := quotedText(window(c.s[at:], 256), `"`)
		at += len(key) + 1
		found, style := separator(c.s, min(at, len(c.s)), false)
		if style != colon || found >= len(c.s) || c.s[found] != '"' {
			return
		}
		value := quotedText(c.s[found+1:], `"`)
		if len(value) >= 4 && !isPlaceholder(window(value, decisionWindow)) {
			c.ahead(span{found + 1, found + 1 + len(value), Secret})
		}
		at = min(len(c.s), found+1+len(value)+1)
	}
}

// puttyKey takes the lines that the number at at counts.
func (c *scan) puttyKey(at int) {
	n := 0
	for at < len(c.s) && isDigit(c.s[at]) && n < 100 {
		n = 10*n + int(c.s[at]-'0')
		at++
	}
	for at < len(c.s) && isBlank(c.s[at]) {
		at++
	}
	end := at
	for range n {
		line := strings.IndexByte(c.s[end:], '\n')
		if line < 0 {
			end = len(c.s)
			break
		}
		end += line + 1
	}
	for end > at && isBlank(c.s[end-1]) {
		end--
	}
	if end > at {
		c.ahead(span{at, end, PrivateKey})
	}
}
