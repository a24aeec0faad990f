package secrets

import "strings"

// Documents have names whose meaning depends on their place: the data of a Kubernetes secret, the private part of a JSON web key or of a PuTTY key.

// maxEntries is the maximum number of values taken from one manifest in a pass.
const maxEntries = 64

// documentSecrets returns the secrets of the name at start with the value at at, and whether no other check of the name is needed.
func (f *facts) documentSecrets(s, name string, start, at int) ([]span, bool) {
	if end := start + len(name); s[end] == ':' && at == end+1 && (isName(name) || len(name) > 2 && len(name) < 8 && allDigits(name)) {
		if found, ok := driverPassword(s, end); ok {
			return []span{found}, true
		}
	}
	switch {
	case name == "stringData" || name == "data" && f.manifest.holds(s, "kind: Secret", `"kind":"Secret"`, `"kind": "Secret"`):
		return manifestData(s, start, at), true
	case len(name) < 3 && has("d p q k dp dq qi", name) && f.keySet.holds(s, `"kty"`, `\"kty\"`):
		from := at + len(quoteAt(s, at))
		to := spanOf(s, from, any64)
		if from == at || to-from < 16 {
			to = from
		}
		return []span{{from, to, PrivateKey}}, true
	case strings.HasSuffix(s[:start], "oracle:"): // jdbc:oracle:thin:alice/SECRET@...
		w, _ := commandWord(s, at, min(len(s), at+maxCommand))
		user, rest, _ := strings.Cut(w.in(s), "/")
		from := w.from + len(user) + 1
		return []span{{from, from + strings.LastIndexByte(rest, '@'), Password}}, true
	case name == "WIFI":
		return wifi(s, at), true
	case name == "Private-MAC": // the end of a PuTTY key whose beginning was cut off
		return []span{{keyLinesAbove(s, 0, start), start, PrivateKey}}, false
	case name == "Private-Lines": // the number of a PuTTY key's lines, then the lines
		from := at + strings.IndexByte(window(s[at:], len("100\r\n")), '\n') + 1
		return []span{{from, keyEnd(s, from), PrivateKey}}, true
	}
	return nil, false
}

// inObject returns the start of the "value" in an object at i, such as an output of Terraform, or i.
func inObject(s string, i int) int {
	if i >= len(s) || s[i] != '{' {
		return i
	}
	inner, _, _ := strings.Cut(window(s[i:], decisionWindow), "}")
	_, rest, found := strings.Cut(inner, "value")
	quote := quoteAt(rest, 0)
	if rest = strings.TrimLeft(strings.TrimPrefix(rest, quote), " "); !found || quote == "" || !strings.HasPrefix(rest, ":") {
		return i
	}
	at := i + len(inner) - len(rest) + len(":")
	return at + blanks(s, at)
}

// sensitive returns the kind of a value that a Terraform file marks as secret: an output with "sensitive": true, a
// generated password, or the default of a variable with a secret's name.
func sensitive(s, name string, start, at int) string {
	before := s[max(0, start-2*maxCommand):start]
	switch name {
	case "default":
		_, variable, _ := strings.Cut(before[max(0, len(before)-decisionWindow):], `variable "`)
		of, body, _ := strings.Cut(variable, `"`)
		if strings.Contains(body, "}") {
			return ""
		}
		return kindOfName(of)
	case "result", "bcrypt_hash":
	default:
		return ""
	}
	if last := strings.LastIndex(before, "random_"); last >= 0 && strings.HasPrefix(before[last:], "random_password") {
		return Password
	}
	return ""
}

// wifi finds the password in a Wi-Fi QR code, WIFI:T:WPA;S:net;P:SECRET;;. i is the position after "WIFI:".
func wifi(s string, i int) []span {
	for end := i; end < len(s) && end-i < decisionWindow; {
		from := end
		for end < len(s) && s[end] != ';' && s[end] != '\n' {
			if s[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(s) || s[end] == '\n' {
			break
		}
		if strings.HasPrefix(s[from:], "P:") && end > from+2 {
			return []span{{from + 2, end, Password}}
		}
		end++
	}
	return nil
}

// facts caches answers about the whole text.
type facts struct{ manifest, keySet answer }

// answer is a cached answer: 0 unknown, 1 yes, -1 no.
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

// manifestData returns the values under "data" or "stringData" of a Kubernetes secret, in lines with more indentation.
func manifestData(s string, start, at int) []span {
	if at < len(s) && s[at] != '\n' && s[at] != '\r' {
		return nil
	}
	indent := start - len(strings.TrimRight(s[:start], " -"))
	var found []span
	for len(found) < maxEntries {
		line := strings.IndexByte(s[at:], '\n')
		if line < 0 {
			break
		}
		at += line + 1
		text := restOfLine(s[at:])
		name, value, ok := strings.Cut(text, ": ")
		if !ok || len(name)-len(strings.TrimLeft(name, " ")) <= indent {
			break
		}
		from := at + len(name) + len(": ")
		for from < len(s) && (isBlank(s[from]) || isQuote(s[from])) {
			from++
		}
		if value = strings.Trim(value, " \r\"'"); len(value) >= 4 && value[0] != '>' &&
			!isPlaceholder(window(value, decisionWindow)) {
			found = append(found, span{from, authorityEnd(s, from, ""), Secret})
		}
	}
	return found
}

// secretOfLine finds the secret of a line that is recognised as a whole and begins at i: in Postfix's relay
// passwords, curl's cookie jar, Redis users or .pgpass.
func secretOfLine(s string, i int) (found span) {
	line := strings.TrimRight(restOfLine(s[i:]), "\r")
	secret, kind := "", Password
	switch {
	case line[0] == '[': // [host]:port user:password
		if relay, pair, _ := strings.Cut(line, " "); strings.Contains(relay, "]") {
			found, _ = chosenPair(s, i+len(line)-len(pair), i+len(line))
		}
		return found
	case strings.Count(line, "\t") == 6:
		if f := strings.Split(line, "\t"); has("TRUE FALSE", f[1]) && isMachineMade(f[6]) {
			secret, kind = f[6], Cookie
		}
	case strings.HasPrefix(line, "user "): // user alice on >password ~*
		_, rest, _ := strings.Cut(line, " on >")
		from := i + len(line) - len(rest)
		return span{from, from + strings.IndexByte(rest+" ", ' '), Password}
	case !strings.ContainsAny(line, " /") && strings.Count(line, ":") >= 4: // host:port:database:user:password
		if f := strings.SplitN(line, ":", 5); (f[1] == "*" || allDigits(f[1]) && len(f[1]) > 2) && isName(f[3]) &&
			len(f[4]) > 2 && !isPlaceholder(f[4]) {
			secret = f[4]
		}
	}
	end := i + len(line)
	return span{end - len(secret), end, kind}
}

// secretOfOutput finds the secret on the line below the prompt "$ " at i, if its command names one: cat config/master.key.
func secretOfOutput(s string, i int) span {
	line := restOfLine(s[i:])
	from := min(i+len(line)+1, len(s))
	text := strings.TrimSpace(restOfLine(s[from:]))
	if !isMachineMade(text) && !isStrong(text) || strings.Contains(line, "git ") {
		return span{}
	}
	for word := range strings.FieldsSeq(line) {
		if namesSecret(word) || partOf(word) != "" || has("rand pwgen apg", word) {
			return span{from, from + len(text), Secret}
		}
	}
	return span{}
}

const (
	// maxHeader is the maximum length in bytes of a line with column names.
	maxHeader = 512
	// maxRows is the maximum number of rows read in one pass.
	maxRows = 64
)

// column returns the cells of the column s[start:end]: of the lines below (CSV, Markdown), or the tuples after VALUES (SQL).
func column(s string, start, end int, kind string) []span {
	from := max(0, start-maxHeader)
	from += strings.LastIndexByte(s[from:start], '\n') + 1
	to := end + len(restOfLine(s[end:]))
	if open := strings.LastIndexByte(s[from:start], '('); open >= 0 {
		return tuples(s, strings.Count(s[from+open:start], ","), end, kind)
	}
	sign := delimiter(s[from:to])
	if sign == 0 || !isHeader(s[from:to], sign) {
		return nil
	}
	before, cells := strings.Count(s[from:start], string(sign)), strings.Count(s[from:to], string(sign))
	var found []span
	for row := 0; row < maxRows && to < len(s); row++ {
		from = to + 1
		text := restOfLine(s[from:])
		to = from + len(text)
		if strings.Trim(text, "-+|: =\r") == "" && text != "" {
			continue // the line between header and rows
		}
		if strings.Count(text, string(sign)) < cells {
			break
		}
		found = cell(found, s, from, to, sign, before, kind)
	}
	return found
}

// delimiter returns the byte that separates the cells of a line, or 0.
func delimiter(line string) byte {
	for _, sign := range []byte("|\t,;") {
		if strings.IndexByte(line, sign) >= 0 {
			return sign
		}
	}
	return 0
}

// isHeader reports whether a line consists of column names: short cells of letters.
func isHeader(line string, sign byte) bool {
	for cell := range strings.SplitSeq(strings.Trim(line, "| \r"), string(sign)) {
		cell = strings.Trim(cell, around)
		if cell == "" || len(cell) > 40 || strings.Trim(cell, alphabet+"0123456789_- ") != "" || strings.Count(cell, " ") > 2 {
			return false
		}
	}
	return true
}

// cell appends to found the row's cell with the index before, without the marks around it, if it may be a secret of the kind.
func cell(found []span, s string, from, to int, sign byte, before int, kind string) []span {
	for range before {
		from += strings.IndexByte(s[from:to]+string(sign), sign) + 1
		if from >= to {
			return found
		}
	}
	text, _, _ := strings.Cut(s[from:to], string(sign))
	from += len(text) - len(strings.TrimLeft(text, around))
	text = strings.Trim(text, around)
	if fitsKind(kind, window(text, decisionWindow)) {
		found = append(found, span{from, from + len(text), kind})
	}
	return found
}

// around lists the spaces and marks around the text of a cell.
const around = " \t\"'`*\r"

// tuples returns the values of a column, by its index, in "INSERT INTO t (a, b) VALUES (1, 'x'), ...". Its name ends at end.
func tuples(s string, before, end int, kind string) []span {
	at := end + strings.IndexByte(window(s[end:], maxHeader), ')') + 1
	at += len("\n") + blanks(s, at)
	if !hasFold(s, at-1, "values") && !hasFold(s, at, "values") {
		return nil
	}
	var found []span
	for range maxRows {
		open := strings.IndexByte(window(s[at:], 16), '(')
		if open < 0 {
			break
		}
		from := at + open + 1
		at = from + strings.IndexByte(window(s[from:], maxCommand)+")", ')')
		found = cell(found, s, from, min(at, len(s)), ',', before, kind)
		at = min(at+1, len(s))
	}
	return found
}
