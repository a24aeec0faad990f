package secrets

import "strings"

// farValue finds the value of the name s[start:end] that does not stand behind a
// separator: in XML, in the call of a function, in a list of names and values. It is 0
// for none.
func farValue(s string, start, end int) int {
	before, rest := byte(0), window(s[end:], 96)
	if start > 0 {
		before = s[start-1]
	}
	if at := elementValue(s, start, end, before); at > 0 {
		return at
	}
	if strings.HasPrefix(rest, ", ") && quoteAt(rest, 2) != "" && strings.ToUpper(s[start:end]) == s[start:end] {
		return end + 2 // setopt(handle, USERPWD, "...")
	}
	after := 0
	if quote := quoteAt(s, start-1); quote != "" && strings.HasPrefix(rest, quote) {
		after = len(quote) + blanks(rest, len(quote))
		if isFirstArgument(s, start-1) && after < len(rest) && rest[after] == ',' {
			after++
			after += blanks(rest, after)
			if quoteAt(rest, after) != "" {
				return end + after // define("DB_PASSWORD", "...")
			}
		}
	}
	if strings.HasPrefix(rest, "(") && quoteAt(rest, 1) != "" && takesSecret(s[start:end], quotedText(rest[2:], rest[1:2])) {
		return end + 1 // PASSWORD('...')
	}
	return pairedValue(s, end, after)
}

// isFirstArgument reports that the string at i is the first argument of a call, or
// that only the name of its type stands before it.
func isFirstArgument(s string, i int) bool {
	before := strings.TrimRight(s[max(0, i-24):i], " ")
	return strings.HasSuffix(before, "(") || strings.HasSuffix(before, `("String",`)
}

// elementValue is where the value begins of a name that is in a tag of XML, in the key
// of a property list, or in an address that is in another address.
func elementValue(s string, start, end int, before byte) int {
	rest := window(s[end:], 96)
	for _, mark := range [...]string{`">`, `'>`, "&gt;", "%22%3A%22"} { // <Property name="password">...
		if strings.HasPrefix(rest, mark) && (mark[0] == '&' || mark[0] == '%' || before == mark[0]) {
			return end + len(mark)
		}
	}
	if before == '<' {
		at := elementText(s, end)
		if at > 0 && strings.Contains(window(s[at:], decisionWindow), "</"+s[start:end]+">") {
			return at // <password>...</password>
		}
	}
	if strings.HasPrefix(rest, "</key>") {
		if at := strings.Index(rest, "<string>"); at >= 0 && strings.TrimSpace(rest[len("</key>"):at]) == "" {
			return end + at + len("<string>")
		}
	}
	return 0
}

// pairedValue is where the value begins that "value" and the like name at s[end+after:].
func pairedValue(s string, end, after int) int {
	rest := window(s[end:], 96)
	for after < len(rest) && (isBlank(rest[after]) || rest[after] == ',') {
		after++
	}
	at := end + after
	for _, word := range [...]string{"value", `"value`, `'value`, `\"value`, "content", "parametervalue", "optionvalue"} {
		if !hasFold(s, at, word) || len(rest) < after+len(word) {
			continue
		}
		if found, style := separator(s, at+len(word), false); style == tight || style == colon || style == spaced {
			return found
		}
	}
	for _, flag := range [...]string{"--data ", "--value ", "--value=", "--body ", "--secret-value ", "--data="} {
		if strings.HasPrefix(s[at:], flag) { // secret add --name db_password --data ...
			return at + len(flag) + blanks(s, at+len(flag))
		}
	}
	return 0
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
		if closing := strings.IndexByte(window(s[inner:], 40), '>'); closing > 1 && s[inner+1] != '/' {
			return inner + closing + 1
		}
	}
	return at
}

// takesSecret reports that the argument of a function is the secret in its name. A
// function that gets or checks a secret has other arguments.
func takesSecret(name, text string) bool {
	if startOf(gettingVerbs, name) != "" {
		return false
	}
	if kindOfName(name) == Password {
		return isOdd(text)
	}
	return isMachineMade(text)
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
