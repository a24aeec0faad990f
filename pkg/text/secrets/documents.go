package secrets

import "strings"

// In some documents the place of a name decides whether its value is secret: the private part of a JSON web key or of a PuTTY key.

// documentSecrets returns the secrets of the name at start with the value at at, and whether no other check of the name is needed.
func documentSecrets(s, name string, start, at int) ([]span, bool) {
	if end := start + len(name); s[end] == ':' && at == end+1 && (isName(name) || len(name) > 2 && len(name) < 8 && allDigits(name)) {
		if found, ok := driverPassword(s, end); ok {
			return []span{found}, true
		}
	}
	switch {
	case name == "WIFI": // WIFI:T:WPA;S:net;P:SECRET;;
		line := ";" + restOfLine(s[at:])
		_, password, _ := strings.Cut(line, ";P:")
		from := at + len(line) - len(password) - len(";")
		return []span{{from, from + strings.IndexByte(password, ';'), Password}}, true
	case len(name) < 3 && has("d p q k dp dq qi", name) && strings.Contains(window(s[max(0, start-2*maxCommand):], 4*maxCommand), "kty"):
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
	case name == "Private-Lines": // the number of a PuTTY key's lines, then the lines
		from := at + strings.IndexByte(window(s[at:], len("100\r\n")), '\n') + 1
		return []span{{from, keyEnd(s, from), PrivateKey}}, true
	}
	return nil, false
}

// maxRows is the maximum number of rows read in one pass of a table.
const maxRows = 64

// column returns the cells below the column name s[start:end], of a table whose cells are separated by one sign.
func column(s string, start, end int, kind string) (found []span) {
	from, to := max(0, start-maxCommand), end+len(restOfLine(s[end:]))
	from += strings.LastIndexByte(s[from:start], '\n') + 1
	head := s[from:to]
	at := strings.IndexAny(head, "|\t,;")
	if at < 0 || strings.Trim(head, alphabet+"0123456789_- \"\r"+head[at:at+1]) != "" {
		return nil
	}
	sign := head[at : at+1]
	before := strings.Count(s[from:start], sign)
	for row := 0; row < maxRows && to < len(s); row++ {
		from = to + 1
		line := restOfLine(s[from:])
		to = from + len(line)
		cells := strings.Split(line, sign)
		if len(cells) <= strings.Count(head, sign) && strings.Trim(line, "-+|: \r") != "" { // not the line between header and rows
			break
		}
		n := min(before, len(cells)-1)
		if text := strings.Trim(cells[n], " \"'`*\r"); fitsKind(kind, text) {
			at := from + len(strings.Join(cells[:n+1], sign)) - len(cells[n]) + strings.Index(cells[n], text)
			found = append(found, span{at, at + len(text), kind})
		}
	}
	return found
}

// pgpass finds the password of the line host:port:database:user:password at i.
func pgpass(s string, i int) span {
	line := strings.TrimRight(restOfLine(s[i:]), "\r")
	if strings.ContainsAny(line, " /") || strings.Count(line, ":") < 4 {
		return span{}
	}
	f := strings.SplitN(line, ":", 5)
	if f[1] != "*" && (!allDigits(f[1]) || len(f[1]) < 3) || !isName(f[3]) || len(f[4]) < 3 || isPlaceholder(f[4]) {
		return span{}
	}
	return span{i + len(line) - len(f[4]), i + len(line), Password}
}
