package secrets

import "strings"

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
	after := 0
	if quote := quoteAt(s, start-1); quote != "" && strings.HasPrefix(rest, quote) {
		after = len(quote)
		before := strings.TrimRight(s[max(0, start-25):start-1], " ")
		if next := len(rest) - len(strings.TrimLeft(rest[after:], " ,")); quoteAt(rest, next) != "" && (strings.HasSuffix(before, "(") || strings.HasSuffix(before, `("String",`)) {
			return end + next // define("DB_PASSWORD", "...")
		}
	}
	if strings.HasPrefix(rest, "(") && quoteAt(rest, 1) != "" && startOf(gettingVerbs, name) == "" && fitsKind(kindOfName(name), quotedText(rest[2:], rest[1:2])) {
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
