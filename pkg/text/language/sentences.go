package language

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences are the sentences of a text, verbatim and trimmed. One ends behind a full stop, a
// question mark or an exclamation mark, but not behind an abbreviation or inside of a name.
func Sentences(text string) (all []string) {
	add := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	from := 0
	for at, end := 0, 0; at < len(text); at = end {
		mark, size := utf8.DecodeRuneInString(text[at:])
		end = at + size
		switch {
		case strings.ContainsRune("。！？", mark):
		case strings.ContainsRune(".?!", mark):
			end = len(text) - len(strings.TrimLeft(text[end:], `.?!)]"'*`))
			if !strings.ContainsAny(text[end:min(end+1, len(text))], blanks) && end < len(text) ||
				mark == '.' && (isAbbreviated(text[from:at]) || !opensSentence(text[end:])) {
				continue
			}
		default:
			continue
		}
		add(text[from:end])
		from = end
	}
	add(text[from:])
	return all
}

const blanks = " \t\r\n"

// isAbbreviated reports whether the full stop after a text belongs to an abbreviation.
func isAbbreviated(text string) bool {
	last := text[strings.LastIndexAny(text, blanks+"(")+1:]
	switch strings.ToLower(last) {
	case "e.g", "i.e", "etc", "vs", "cf", "eg", "ie", "approx", "no", "incl", "resp":
		return last != "no" || strings.HasSuffix(text, " no")
	}
	return len(last) == 1 && last[0] >= '0' && last[0] <= '9' && last == strings.TrimSpace(text)
}

// opensSentence reports whether a new sentence begins after a full stop. It may begin in lower case,
// as in hasty typing, so only punctuation rules it out.
func opensSentence(rest string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, blanks))
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("`*(\"'/[", r)
}
