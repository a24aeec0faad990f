package secrets

import "strings"

// value is the position and form of a name's value.
type value struct {
	kind  string // kind that the name denotes
	from  int
	close string // closing quotation mark, or ""
	style style
	query bool // the value is a query parameter
}

// style is how a name and its value are joined. It decides how likely the value is a literal.
type style uint8

const (
	apart  style = iota
	tight        // name=value, --name value: as in a shell or an .env file
	spaced       // name = value: as in code
	colon        // name: value, as in YAML and JSON
	beside       // name 'value', as in SQL; Bearer value
)

// text returns the value, limited to decisionWindow bytes.
func (v value) text(s string) string {
	return valueText(window(s[v.from:], decisionWindow), v.close, v.query)
}

// end returns the end of the value. Only this function reads the whole value.
func (v value) end(s string) int { return v.from + len(valueText(s[v.from:], v.close, v.query)) }

// valueText returns the value at the beginning of s: up to quote, without one up to the end of a shell word or, in a query, of the parameter.
func valueText(s, quote string, inQuery bool) string {
	if quote != "" {
		return quotedText(s, quote)
	}
	end := 0
	for end < len(s) && sets[s[end]]&solid != 0 && s[end] != ';' && s[end] != '|' {
		if inQuery && (s[end] == '&' || s[end] == '#') || s[end] == ',' && startsName(s, end+1) {
			break
		}
		end++
	}
	return strings.TrimRight(s[:end], ",)]}.:\\")
}

// startsName reports whether a name followed by "=" is at i.
func startsName(s string, i int) bool {
	end := i
	for end < len(s) && sets[s[end]]&dotted != 0 && end-i < 40 {
		end++
	}
	return end > i && end < len(s) && s[end] == '='
}

// separator returns the start of the value of a name that ends at i, and its style: apart if there is no value.
func separator(s string, i int, isFlag bool) (int, style) {
	isBearer := s[max(0, i-1)]|0x20 == 'r'
	if quote := quoteAt(s, i); quote != "" { // "name", \"name\" and ["name"]
		i += len(quote)
		if i < len(s) && s[i] == ']' {
			i++
		}
	}
	gap := blanks(s, i)
	i += gap
	if i >= len(s) {
		return i, apart
	}
	at, found := separatorAt(s, i)
	if at > i {
		if found == spaced && at == i+1 && gap == 0 && blanks(s, at) == 0 {
			found = tight
		}
		return at + blanks(s, at), found
	}
	switch {
	case gap == 0:
		return i, apart
	case isFlag && s[i] != '-':
		return i, tight
	case isBearer || quoteAt(s, i) != "" && s[i] != '`':
		return i, beside // before a quote as in SQL, or after "bearer"
	}
	return i, apart
}

// separatorAt returns the end of the separator at i and its style, or i and apart.
func separatorAt(s string, i int) (int, style) {
	two := window(s[i:], 2)
	switch {
	case two == "==" || two == "::":
		return i + 2, apart
	case two == ":=" || two == "=>" || two == "?=":
		return i + 2, spaced
	case (two == "||" || two == "??") && strings.HasPrefix(s[i+2:], "="):
		return i + 3, spaced
	case two[0] == '=':
		return i + 1, spaced
	case two[0] == ':':
		return i + 1, colon
	}
	return i, apart
}

// belowName returns the start of a value on the line below its name, or i. The value stands alone, after "\" or in
// a YAML block. i is the position after the separator.
func belowName(s string, i int) int {
	if i >= len(s) || s[i] != '|' && s[i] != '>' && s[i] != '\\' && !isBlank(s[i]) {
		return i
	}
	line := restOfLine(s[i:])
	next := i + len(line) + 1
	if strings.Trim(line, "|>\\-+0123456789 \t\r") != "" || next >= len(s) {
		return i
	}
	next += blanks(s, next)
	word := strings.TrimRight(restOfLine(s[next:]), " \r,;")
	if word == "" || strings.ContainsAny(word, " \t") || strings.HasSuffix(word, ":") || startsName(s, next) {
		return i
	}
	return next
}

// isSecret decides by the form, kind and style of a value. Names such as "token" are so common in code that only
// the value distinguishes a literal from a reference.
func (v value) isSecret(s string) bool {
	text := v.text(s)
	if v.style == beside && (v.kind != Password || v.close == "") || isPlaceholder(text) || v.close == "" && isCode(text) {
		return false
	}
	m := makeupOf(strings.TrimSpace(text))
	if strings.ContainsAny(strings.TrimSpace(text), " \t\r\n") {
		return v.kind == Password && v.close != "" && digitsIn(text) > 0 && isSaying(text)
	}
	if v.kind == Password && !v.isPassword(text, m) || v.kind != Password && !v.isKey(text, m) {
		return false
	}
	// A sealed secret may be public.
	return !isSealed("", text) || !strings.Contains(s[max(0, v.from-maxCommand):v.from], "encryptedData:")
}

// isPassword reports whether a value may be a password that a person chose.
func (v value) isPassword(text string, m makeup) bool {
	first, rest, _ := strings.Cut(text, "|") // required|string|min:8 is a validation rule of a form
	if m.length < 6 || isPath(text) || isName(first) && strings.Contains(rest, ":") || v.style == colon && strings.Contains(text, "/") && isWords(strings.ReplaceAll(text, "-", "_"), m) {
		return false
	}
	isOdd := m.digits > 0 || strings.Trim(text, alphabet+"-_.") != ""
	return isOdd || (v.style == tight || v.close != "" && v.style == spaced) && kindOfName(text) == ""
}

// isSaying reports whether several words in quotation marks may be a password: they have no sign of code, and none of
// them describes a password or asks for one.
func isSaying(text string) bool {
	for word := range strings.FieldsSeq(text) {
		if word = strings.Trim(word, ".,!?'"); hasFolded(saysOfPasswords, word) || kindOfName(word) != "" {
			return false
		}
	}
	return len(text) >= 8 && !strings.ContainsAny(text, "${}()[]<>=:;|/\\")
}

// isPlainPassword reports whether a text is a word of small letters that may be a password, not one about passwords ("missing").
func isPlainPassword(text string) bool {
	return len(text) >= 6 && strings.Trim(text, alphabet[:26]) == "" && !has(saysOfPasswords, text) && kindOfName(text) == "" && !isPlaceholder(text)
}

// isKey reports whether a value may be a token, secret or key, which a machine makes.
func (v value) isKey(text string, m makeup) bool {
	switch symbols := strings.Trim(text, alphabet+"0123456789-_.") != ""; {
	case m.length < 8 || m.length < 24 && !symbols && mentionsSecret(text):
		return false // a name such as secret-v2 or token_1
	case m.digits > 0:
		return !isWords(text, m)
	}
	isMixed := m.lower > 0 && m.upper > 1 && m.length >= 20
	return m.length >= 16 && (isMixed || m.others == 0 && (v.style == tight || v.close != "")) && m.common*3 <= m.pairs*2 // not a name such as refreshTokenProvider
}

func mentionsSecret(text string) bool {
	stem := strings.TrimRight(text, "0123456789-_")
	return containsFold(text, "secret") || containsFold(text, "token") || containsFold(text, "pass") ||
		endsInOne(stem, "apikey mykey") || strings.HasSuffix(stem, "Key") || strings.HasSuffix("-"+stem, "-key") || strings.HasSuffix(stem, "_key") // monkey is not a key
}

// credential skips the scheme in "Authorization: Bearer xyz". Without "Authorization" xyz must look like a key.
func (v value) credential(s string) (value, bool) {
	v.close = ""
	text, least := v.text(s), 8
	if next := v.from + len(text); v.style != beside && hasFolded(authSchemes, text) && next < len(s) &&
		s[next] == ' ' {
		v.from = next + 1
		text = v.text(s)
		return v, len(text) >= 6 && !isPlaceholder(text) && !has(wordsForSecrets, text)
	}
	if v.style == beside {
		least = 16
	}
	return v, len(text) >= least && digitsIn(text) > 0 && !isPlaceholder(text) && !isCode(text)
}

// likely accepts a machine-made value of a name that may denote a secret, unless it is public.
func (v value) likely(s, name string, isPublic bool) (value, bool) {
	if v.style == beside && v.close == "" || isPublic {
		return v, false
	}
	if v.kind = v.kindOf(name); v.kind == "" {
		return v, false
	}
	text := v.text(s)
	if algorithm, rest, ok := strings.Cut(text, "="); ok && has("sha1 sha256 sha512 v0 v1", algorithm) {
		v.from += len(algorithm) + 1 // X-Hub-Signature: sha256=...
		text = rest
	}
	if isLiteral := v.style == tight || v.close != ""; isLiteral && (v.kind == Password && isStrong(text) || v.kind == APIKey && isChosen(text) && isOfWLAN(s, v.from)) {
		return v, true // DB_PASSWORD_OLD
	}
	return v, v.style != beside && len(text) >= 12 && v.isIssued(name, text) && !isPlaceholder(text) &&
		(v.close != "" || !isCode(text)) && !strings.Contains(text, "://")
}

// isOfWLAN reports whether the line before i is about a wireless network, or a database that only a key opens.
func isOfWLAN(s string, i int) bool {
	before := s[max(0, i-maxSentence):i]
	return holdsOne(wlanWords, before[strings.LastIndexByte(before, '\n')+1:])
}

// kindOf returns the kind that a name suggests for a machine-made value, or "".
func (v value) kindOf(name string) string {
	kind, isHeader := likelyKind(name), v.style == colon && hasFold(name, 0, "x-")
	if kind == "" && (isHeader && !isDescriptor(name) || v.query && hasFolded(queryNames, window(name, 16))) {
		return Token // X-Honeycomb-Team
	}
	return kind
}

// isIssued reports whether the value of a name that may denote a secret is machine-made.
func (v value) isIssued(name, text string) bool {
	m := makeupOf(text)
	if number, region, _ := strings.Cut(text, "-"); len(number) == 32 && len(region) <= 4 {
		m = makeupOf(number) // a key of Mailchimp
	}
	isID := isUUID(text[max(0, len(text)-36):])
	switch {
	case strings.HasPrefix(text, "0x"):
		return isChainKey(text) // a blockchain address is not a key
	case isID && !v.query && (endsInOne(name, "sessionid") || (v.close != "" || v.style == colon) && endsInOne(name, "session")):
		return false // the session id in the input and the log of every hook
	case m.isRandom(), isGrouped(text, m), v.kind == Token && hasFolded(sessionNames, window(name, 16)) && m.length >= 20 && m.others == 0 && m.digits >= 3 && m.changes >= 6:
		return true
	}
	// After a longer, more specific name a plain hexadecimal number counts too.
	return (isID || m.isHex()) && m.length >= 20 && (v.query || len(name) > len("keys"))
}

// valueElsewhere returns the start of a value that is not joined to the name s[start:end] by a separator: in XML,
// in a function call, in a list of names and values. It returns 0 if there is none.
func valueElsewhere(s string, start, end int) int {
	name, rest := s[start:end], window(s[end:], 96)
	if at := elementValue(s, start, end); at > 0 {
		return at
	}
	if strings.HasPrefix(rest, ", ") && quoteAt(rest, 2) != "" && strings.ToUpper(name) == name {
		return end + 2 // setopt(handle, USERPWD, "...")
	}
	after := 0
	if quote := quoteAt(s, start-1); quote != "" && strings.HasPrefix(rest, quote) {
		after = len(quote)
		before := strings.TrimRight(s[max(0, start-25):start-1], " ")
		if next := len(rest) - len(strings.TrimLeft(rest[after:], " ,")); quoteAt(rest, next) != "" &&
			(strings.HasSuffix(before, "(") || strings.HasSuffix(before, `("String",`)) {
			return end + next // define("DB_PASSWORD", "...")
		}
	}
	if strings.HasPrefix(rest, "(") && quoteAt(rest, 1) != "" && startOf(gettingVerbs, name) == "" &&
		fitsKind(kindOfName(name), quotedText(rest[2:], rest[1:2])) {
		return end + 1 // PASSWORD('...')
	}
	return pairedValue(s, end+after)
}

// elementValue returns the start of the value of a name in an XML tag, in the key of a property list, or in an
// address inside another address. It returns 0 if there is none.
func elementValue(s string, start, end int) int {
	before, rest := window(s[max(0, start-1):], 1), window(s[end:], 96)
	for _, mark := range [...]string{`">`, `'>`, "&gt;", "%22%3A%22"} { // <Property name="password">...
		if strings.HasPrefix(rest, mark) && (mark[0] == '&' || mark[0] == '%' || before == mark[:1]) {
			return end + len(mark)
		}
	}
	if before == "<" {
		at := elementText(s, end)
		if at > 0 && strings.Contains(window(s[at:], decisionWindow), "</"+s[start:end]+">") {
			return at // <password>...</password>
		}
	}
	if between, _, ok := strings.Cut(rest, "<string>"); ok && strings.TrimSpace(between) == "</key>" {
		return end + len(between) + len("<string>")
	}
	return 0
}

// elementText returns the start of the text of the element whose name ends at end, after its attributes and after a
// nested element's tag. It returns 0 if there is no element.
func elementText(s string, end int) int {
	tag := strings.IndexAny(window(s[end:], 80), "><\n")
	if tag < 0 || s[end+tag] != '>' {
		return 0
	}
	at := end + tag + 1
	around := window(s[at:], 80)
	inner := strings.TrimLeft(around, " \t\r\n")
	if closing := strings.IndexByte(inner, '>'); strings.HasPrefix(inner, "<") && closing > 0 {
		at += len(around) - len(inner) + closing + 1
	}
	return at
}

// pairedValue returns the start of the value that a word such as "value" after i names, or 0.
func pairedValue(s string, i int) int {
	for n := 0; i < len(s) && n < 96 && (isBlank(s[i]) || s[i] == ','); n++ {
		i++
	}
	isFlag, words := strings.HasPrefix(s[i:], "--"), "value content parametervalue optionvalue"
	if isFlag { // secret add --name db_password --data ...
		i, words = i+2, "value data body secret-value"
	}
	i += len(quoteAt(s, i))
	for word := range strings.SplitSeq(words, " ") {
		if !hasFold(s, i, word) {
			continue
		}
		if found, style := separator(s, i+len(word), isFlag); style == tight || style == colon || style == spaced {
			return found
		}
	}
	return 0
}

// otherwise returns the start of the string in "env(X) || 'SECRET'" on the line from at on, or 0.
func otherwise(s string, at int) int {
	line := window(restOfLine(s[at:]), 120)
	for _, or := range [...]string{"|| ", "?? ", " or ", "?: ", "||"} {
		if i := strings.Index(line, or); i > 0 && quoteAt(line, i+len(or)) != "" {
			return at + i + len(or)
		}
	}
	return 0
}

// typedValue returns the start of the value in "name: Type = value", or 0.
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
