package project

import "strings"

const blanks = " \t\r\v\f"

// originURL returns the first non-empty url of [remote "origin"] in the text of a git config, by the
// syntax of git-config(1). Includes are not followed. A text that git would refuse as a whole is read
// as far as it makes sense.
func originURL(config string) string {
	rest := strings.ReplaceAll(strings.TrimPrefix(config, "\ufeff"), "\r\n", "\n")
	inOrigin := false
	for {
		rest = strings.TrimLeft(rest, blanks+"\n")
		switch {
		case rest == "":
			return ""
		case rest[0] == '#' || rest[0] == ';':
			rest = afterLine(rest)
		case rest[0] == '[':
			var name string
			name, rest = section(rest[1:])
			inOrigin = name == "remote\x00origin"
		default:
			var name, value string
			name, value, rest = variable(rest)
			if inOrigin && value != "" && strings.EqualFold(name, "url") {
				return value
			}
		}
	}
}

func afterLine(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return rest
}

// section reads the rest of a header. The name is returned in lower case, followed by NUL and the
// subsection if there is one. [a "B"] keeps the case of B; the old form [a.B] does not.
func section(text string) (name, rest string) {
	at := strings.IndexAny(text, "]\"\n")
	if at < 0 || text[at] == '\n' { // never closed: it names nothing
		return "", afterLine(text)
	}
	name, rest = strings.ToLower(text[:at]), text[at+1:]
	if text[at] == ']' {
		return strings.Replace(name, ".", "\x00", 1), rest
	}
	line, _, _ := strings.Cut(rest, "\n")
	var sub strings.Builder
	for i := 0; i < len(line); i++ {
		if line[i] == '"' {
			closing := strings.IndexByte(line[i:], ']')
			if closing < 0 {
				break
			}
			return strings.TrimSpace(name) + "\x00" + sub.String(), rest[i+closing+1:]
		}
		if line[i] == '\\' && i+1 < len(line) {
			i++
		}
		sub.WriteByte(line[i])
	}
	return "", afterLine(text)
}

func variable(text string) (name, value, rest string) {
	name = text[:len(text)-len(strings.TrimLeftFunc(text, isNameRune))]
	rest = strings.TrimLeft(text[len(name):], blanks)
	if name == "" || rest == "" || rest[0] != '=' {
		return name, "", afterLine(rest)
	}
	value, rest = valueOf(strings.TrimLeft(rest[1:], blanks))
	return name, value, rest
}

func isNameRune(r rune) bool {
	return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || r == '-'
}

// valueOf reads a value to the end of the line, over continuations. It leaves out comments, and blanks
// at the end unless they are quoted.
func valueOf(text string) (value, rest string) {
	var out []byte
	isQuoted, end := false, 0 // end is where unquoted trailing blanks begin
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n', !isQuoted && (c == '#' || c == ';'):
			return string(out[:end]), afterLine(text[i:])
		case c == '"':
			isQuoted = !isQuoted
			end = len(out)
			continue
		case !isQuoted && strings.IndexByte(blanks, c) >= 0:
			out = append(out, c)
			continue
		case c == '\\':
			if i++; i == len(text) || text[i] == '\n' {
				continue
			}
			c = text[i]
			if at := strings.IndexByte("ntb", c); at >= 0 {
				c = "\n\t\b"[at]
			}
		}
		out = append(out, c)
		end = len(out)
	}
	return string(out[:end]), ""
}
