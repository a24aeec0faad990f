package secrets

import "strings"

// A document has names whose meaning depends on their place: a Cookie header,
// the data of a Kubernetes secret, the private part of a JSON web key or
// of a PuTTY key.

// maxEntries bounds how many values of one manifest are taken in one pass.
const maxEntries = 64

// documentNames are the first letters of the names that have such a meaning.
const documentNames = "cdkopqst"

// inDocument finds the secrets of a name whose value begins at at, and reports
// whether the name needs no other check. holds answers once whether the text has one of
// the parts.
func inDocument(s, name string, start, at int, facts *facts) ([]span, bool) {
	if len(name) > len("Private-Lines") || strings.IndexByte(documentNames, name[0]|0x20) < 0 {
		return nil, false
	}
	switch {
	case strings.EqualFold(name, "cookie"):
		return cookies(s, at, maxEntries), true
	case strings.EqualFold(name, "set-cookie"): // it has only one, and attributes
		return cookies(s, at, 1), true
	case name == "stringData" || name == "data" && facts.hasManifest(s):
		return manifestData(s, start, at), true
	case len(name) <= 2 && has("d p q k dp dq qi", name) && facts.hasKeySet(s):
		if quote := quoteAt(s, at); quote != "" {
			from := at + len(quote)
			if text := quotedText(s[from:], quote); len(text) >= 16 && spanOf(text, 0, any64) == len(text) {
				return []span{{from, from + len(text), PrivateKey}}, true
			}
		}
		return nil, true
	case (name == "thin" || name == "oci") && start > 7 && s[start-7:start] == "oracle:":
		w, _ := commandWord(s, at, min(len(s), at+maxCommand))
		user, rest, ok := strings.Cut(w.in(s), "/")
		if to := strings.LastIndexByte(rest, '@'); ok && to >= 4 {
			from := w.from + len(user) + 1
			return []span{{from, from + to, Password}}, true
		}
		return nil, true
	case name == "Private-Lines":
		return puttyKey(s, at), true
	}
	return nil, false
}

// facts are answers about the whole text that are looked up once.
type facts struct{ manifest, keySet answer }

type answer int8

func (a *answer) holds(s string, parts ...string) bool {
	if *a == 0 {
		*a = -1
		for _, one := range parts {
			if strings.Contains(s, one) {
				*a = 1
			}
		}
	}
	return *a > 0
}

func (f *facts) hasKeySet(s string) bool { return f.keySet.holds(s, `"kty"`, `\"kty\"`) }

func (f *facts) hasManifest(s string) bool {
	return f.manifest.holds(s, "kind: Secret\n", `"kind":"Secret"`, `"kind": "Secret"`, "kind: Secret\r", "kind: Secret ") || strings.HasSuffix(strings.TrimRight(s, " \n"), "kind: Secret")
}

// cookies takes the values of a Cookie header, of which those of sessions are
// secrets.
func cookies(s string, at, most int) []span {
	end := at
	for end < len(s) && end-at < 4096 && strings.IndexByte("\n\r\"'", s[end]) < 0 {
		end++
	}
	var found []span
	for ; at < end && most > 0; most-- {
		for at < end && (isBlank(s[at]) || s[at] == ';') {
			at++
		}
		next := at
		for next < end && s[next] != ';' {
			next++
		}
		name, text, ok := strings.Cut(s[at:next], "=")
		if ok && isCookie(name, text) {
			found = append(found, span{at + len(name) + 1, next, Cookie})
		}
		at = next + 1
	}
	return found
}

// isCookie reports that a cookie lets somebody in.
func isCookie(name, text string) bool {
	if len(text) < 8 || isPlaceholder(window(text, decisionWindow)) {
		return false
	}
	isNamed := kindOfName(name) != ""
	for part := range strings.SplitSeq(cookieNames, " ") {
		isNamed = isNamed || containsFold(name, part)
	}
	if isNamed {
		return digitsIn(text) > 0 || len(text) >= 16
	}
	return isMachineMade(text)
}

// manifestData takes all values under "data" and "stringData" of a Kubernetes
// secret, as YAML or JSON.
func manifestData(s string, start, at int) []span {
	if at < len(s) && s[at] == '{' {
		return jsonData(s, at+1)
	}
	if at >= len(s) || s[at] != '\n' && s[at] != '\r' {
		return nil
	}
	indent := 0
	for start-indent > 0 && (s[start-indent-1] == ' ' || s[start-indent-1] == '-') {
		indent++
	}
	var found []span
	for len(found) < maxEntries {
		line := strings.IndexByte(s[at:], '\n')
		if line < 0 {
			break
		}
		from := at + line + 1
		at = from
		for at < len(s) && s[at] == ' ' {
			at++
		}
		text := restOfLine(s[at:])
		name, value, ok := strings.Cut(text, ": ")
		if at-from <= indent || !ok {
			break
		}
		trimmed := strings.Trim(strings.TrimSpace(value), `"'`)
		if len(trimmed) < 4 || trimmed[0] == '|' || trimmed[0] == '>' || isPlaceholder(window(trimmed, decisionWindow)) {
			continue
		}
		begin := at + len(name) + 2 + strings.Index(value, trimmed)
		end := begin + len(trimmed)
		for len(text) == maxCommand && end < len(s) && !isBlank(s[end]) { // a long value, wholly
			end++
		}
		found = append(found, span{begin, end, Secret})
	}
	return found
}

func jsonData(s string, at int) []span {
	var found []span
	for len(found) < maxEntries {
		name := strings.IndexByte(window(s[at:], 256), '"')
		if name < 0 || strings.IndexByte(s[at:at+name], '}') >= 0 {
			break
		}
		at += name + 1
		at += len(quotedText(window(s[at:], 256), `"`)) + 1
		from, style := separator(s, min(at, len(s)), false)
		if style != colon || from >= len(s) || s[from] != '"' {
			break
		}
		from++
		to := from + len(quotedText(s[from:], `"`))
		if to-from >= 4 && !isPlaceholder(window(s[from:to], decisionWindow)) {
			found = append(found, span{from, to, Secret})
		}
		at = min(len(s), to+1)
	}
	return found
}

// puttyKey takes the lines that the number at at counts.
func puttyKey(s string, at int) []span {
	n := 0
	for at < len(s) && isDigit(s[at]) && n < 100 {
		n = 10*n + int(s[at]-'0')
		at++
	}
	for at < len(s) && isBlank(s[at]) {
		at++
	}
	end := at
	for range n {
		line := strings.IndexByte(s[end:], '\n')
		if line < 0 {
			end = len(s)
			break
		}
		end += line + 1
	}
	for end > at && isBlank(s[end-1]) {
		end--
	}
	return []span{{at, end, PrivateKey}}
}

// ofLine finds secrets that are recognised by their whole line, whose beginning is at i.
func ofLine(s string, i int) []span {
	line := strings.TrimRight(restOfLine(s[i:]), "\r")
	at, kind := 0, Password
	switch {
	case s[i] == '[':
		at = ofRelay(line)
	case strings.IndexByte(line, '\t') >= 0:
		at, kind = ofJar(line), Cookie
	case strings.HasPrefix(line, "user "):
		at = ofRedisUser(line)
	default:
		at = ofPGPass(line)
	}
	if at <= 0 {
		return nil
	}
	secret, _, _ := strings.Cut(line[at:], " ~") // the keys of a user of Redis
	return []span{{i + at, i + at + len(secret), kind}}
}

// ofRelay is where the password begins in "[host]:port user:password", or 0.
func ofRelay(line string) int {
	relay, pair, ok := strings.Cut(line, " ")
	at := strings.IndexByte(pair, ':')
	if !ok || at < 1 || !strings.Contains(relay, "]") || strings.Contains(pair, " ") || !isOdd(pair[at+1:]) {
		return 0
	}
	return len(relay) + at + 2
}

// ofJar is where the cookie of a session begins in a line of a jar of curl, or 0.
func ofJar(line string) int {
	f := strings.Split(line, "\t")
	if len(f) != 7 || !has("TRUE FALSE", f[1]) || !has("TRUE FALSE", f[3]) || !isCookie(f[5], f[6]) {
		return 0
	}
	return len(line) - len(f[6])
}

// ofRedisUser is where the password begins in "user alice on >password ~*", or 0.
func ofRedisUser(line string) int {
	if at := strings.Index(line, " on >"); at > 0 {
		return at + len(" on >")
	}
	return 0
}

// ofPGPass is where the password begins in a line of .pgpass, or 0.
func ofPGPass(line string) int {
	host := strings.IndexByte(window(line, decisionWindow), ':')
	if host <= 0 || host+1 >= len(line) || !isDigit(line[host+1]) && line[host+1] != '*' || strings.ContainsAny(line, " /") {
		return 0
	}
	f := strings.SplitN(line, ":", 5)
	if len(f) < 5 || len(f[1]) > 5 || f[1] != "*" && (!allDigits(f[1]) || len(f[1]) < 3) || !isName(f[3]) || len(f[4]) < 3 || isPlaceholder(f[4]) {
		return 0
	}
	return len(line) - len(f[4])
}
