package secrets

import "strings"

// value is the value of a name.
type value struct {
	kind  string // of the name
	from  int
	close string // the quotation mark that ends it, "" for none
	style style
	query bool // it is a parameter in an address
}

// style is how a name and its value are written together. It decides how likely the value is a
// literal.
type style uint8

const (
	apart  style = iota
	tight        // name=value, --name value: as in a shell or an .env file
	spaced       // name = value: as in code
	colon        // name: value, as in YAML and JSON
	beside       // name 'value', as in SQL; Bearer value
)

// text is the value, of which the decisionWindow decides.
func (v value) text(s string) string {
	return unwrapped(valueText(window(s[v.from:], decisionWindow), v.close, v.query))
}

// end is where the value ends. Only here the whole of it is read.
func (v value) end(s string) int { return v.from + len(valueText(s[v.from:], v.close, v.query)) }

// valueText is the value that s begins with, up to quote or, without one, to
// where a shell or, in an address, a query string would end it.
func valueText(s, quote string, inQuery bool) string {
	if quote != "" {
		return quotedLines(s, quote)
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

// startsName reports that a name and "=" stand at i.
func startsName(s string, i int) bool {
	end := i
	for end < len(s) && sets[s[end]]&dotted != 0 && end-i < 40 {
		end++
	}
	return end > i && end < len(s) && s[end] == '='
}

// separator finds where the value begins for a name that ends at i.
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
	case isBearer || quoteAt(s, i) != "":
		return i, beside // before a quote as in SQL, or behind the word "bearer"
	}
	return i, apart
}

// separatorAt is the sign between name and value at i and its end.
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

// belowName is where a value begins that stands in the line below its name, alone, behind "\" or
// in a block of YAML, or i. The text behind the name's separator is at i.
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

// isSecret decides by the form of a value, its kind and its style. A name such as "token" is so
// common in code that only the value can distinguish a literal from a
// reference.
func (v value) isSecret(s string) bool {
	text := v.text(s)
	if v.style == beside && (v.kind != Password || v.close == "") || isPlaceholder(text) || v.close == "" && isCode(text) {
		return false
	}
	m := makeupOf(strings.TrimSpace(text))
	if strings.ContainsAny(strings.TrimSpace(text), " \t\r\n") {
		return false
	}
	if v.kind == Password && !v.isPassword(text, m) && !v.isPlain(s, text) || v.kind != Password && !v.isKey(text, m) {
		return false
	}
	// A sealed secret may be read by everybody.
	return !isSealed("", text) || !strings.Contains(s[max(0, v.from-maxCommand):v.from], "encryptedData:")
}

// isPassword decides about a value that a person may have chosen.
func (v value) isPassword(text string, m makeup) bool {
	first, rest, _ := strings.Cut(text, "|") // required|string|min:8, which a form checks
	if m.length < 6 || isPath(text) || isName(first) && strings.Contains(rest, ":") || v.style == colon && strings.Contains(text, "/") && isWords(text, m) {
		return false
	}
	isOdd := m.digits > 0 || strings.Trim(text, alphabet+"-_.") != ""
	return isOdd || (v.style == tight || v.close != "" && v.style == spaced) && kindOfName(text) == ""
}

// isPlain reports a plain word that is the whole value of a setting beside that of a user.
func (v value) isPlain(s, text string) bool {
	end := v.from + len(text)
	if v.style != colon || !isPlainPassword(text) || v.close == "" && end < len(s) && s[end] != '\n' {
		return false
	}
	around := s[max(0, v.from-maxSentence):v.from] + window(s[end:], maxSentence/2)
	return containsFold(around, "user") || containsFold(around, "login") || containsFold(around, "host")
}

// isPlainPassword reports a word of small letters that may be a password where one has to stand,
// and says nothing about it.
func isPlainPassword(text string) bool {
	return len(text) >= 6 && strings.Trim(text, alphabet[:26]) == "" && !has(saysOfPasswords, text) && kindOfName(text) == "" && !isPlaceholder(text)
}

// isKey decides about tokens, secrets and keys, which are machine-made.
func (v value) isKey(text string, m makeup) bool {
	switch symbols := strings.Trim(text, alphabet+"0123456789-_.") != ""; {
	case m.length < 8 || m.length < 24 && !symbols && mentionsSecret(text):
		return false // a name such as secret-v2 or token_1
	case m.digits > 0:
		return !isWords(text, m)
	}
	isMixed := m.lower > 0 && m.upper > 1 && m.length >= 20
	return m.length >= 16 && (isMixed || m.others == 0 && (v.style == tight || v.close != "")) && !isCamelCase(text)
}

// isCamelCase takes names such as refreshTokenProvider apart from random
// letters: their words are four letters and more on average.
func isCamelCase(text string) bool {
	words := 1
	for i := 1; i < len(text); i++ {
		if 'A' <= text[i] && text[i] <= 'Z' {
			words++
		}
	}
	return words > 1 && len(text) >= 4*words
}

// mentionsSecret reports a name rather than a secret.
func mentionsSecret(text string) bool {
	stem := strings.TrimRight(text, "0123456789-_")
	return containsFold(text, "secret") || containsFold(text, "token") || containsFold(text, "pass") ||
		endsInOne(stem, "apikey mykey") || strings.HasSuffix(stem, "Key") || strings.HasSuffix("-"+stem, "-key") || strings.HasSuffix(stem, "_key") // not a monkey
}

// credential passes over the scheme of "Authorization: Bearer xyz". The bare
// words "Bearer xyz" count when xyz looks the part.
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

// likely accepts a machine-made value whose name may be that of a secret. isPublic: the word before
// the name marks it as public.
func (v value) likely(s, name string, isPublic bool) (value, bool) {
	if v.style == beside && v.close == "" || isPublic || !isMixedStart(s[v.from:]) {
		return v, false // cheaper to see than the name
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

// isOfWLAN reports that the line before i is about a network, or a database that has a key only.
func isOfWLAN(s string, i int) bool {
	before := s[max(0, i-maxSentence):i]
	return holdsOne(wlanWords, before[strings.LastIndexByte(before, '\n')+1:])
}

// kindOf is the kind that a name suggests for a machine-made value, or "".
func (v value) kindOf(name string) string {
	kind, isHeader := likelyKind(name), v.style == colon && hasFold(name, 0, "x-")
	if kind == "" && (isHeader && !isDescriptor(name) || v.query && hasFolded(queryNames, window(name, 16))) {
		return Token // X-Honeycomb-Team
	}
	return kind
}

// isMixedStart reports a digit, or letters of both cases, in the beginning of a value of
// eight bytes or more: text that a machine makes has them early.
func isMixedStart(s string) bool {
	var seen charset
	for i := range len(window(s, 24)) {
		switch set := sets[s[i]]; {
		case i < 8 && set&solid == 0:
			return false
		case isDigit(s[i]):
			seen |= caps | alnum
		case set&caps != 0:
			seen |= caps
		case set&alnum != 0:
			seen |= alnum
		}
		if i >= 7 && seen == caps|alnum {
			return true
		}
	}
	return false
}

// isIssued reports that a machine made the value of a name that may be that of a secret.
func (v value) isIssued(name, text string) bool {
	m := makeupOf(text)
	if number, region, _ := strings.Cut(text, "-"); len(number) == 32 && len(region) <= 4 {
		m = makeupOf(number) // Mailchimp's
	}
	isID := isUUID(text[max(0, len(text)-36):])
	switch {
	case strings.HasPrefix(text, "0x"):
		return isChainKey(text) // or an address
	case isID && len(text) == 36 && !v.query && endsInOne(name, "sessionid"):
		return false // as in all inputs of hooks
	case m.isRandom(), isGrouped(text, m), v.kind == Token && hasFolded(sessionNames, window(name, 16)) && m.length >= 20 && m.others == 0 && m.digits >= 3 && m.changes >= 6:
		return true
	}
	// The value of a name that describes a key in detail may be a mere number.
	return (isID || m.isHex()) && m.length >= 20 && (v.query || len(name) > len("keys"))
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

// farValue finds the value of the name s[start:end] that does not stand behind a
// separator: in XML, in the call of a function, in a list of names and values. It is 0
// for none.
func farValue(s string, start, end int) int {
	name, rest := s[start:end], window(s[end:], 96)
	if at := elementValue(s, start, end); at > 0 {
		return at
	}
	if strings.HasPrefix(rest, ", ") && quoteAt(rest, 2) != "" && strings.ToUpper(name) == name {
		return end + 2 // setopt(handle, USERPWD, "...")
	}
	if hasFold(rest, 0, " as string = ") {
		return end + len(" as string = ") // Const DbPassword As String = "..."
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

// elementValue is where the value begins of a name that is in a tag of XML, in the key
// of a property list, or in an address that is in another address.
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

// elementText is where the text of an element begins whose name ends at end: behind
// its attributes, and behind an element of its own. It is 0 for no element.
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

// pairedValue is where the value begins that "value" and the like name behind i.
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
