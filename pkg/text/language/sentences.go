package language

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences splits a text into its sentences, verbatim and trimmed. A sentence ends after a full stop, a question
// mark or an exclamation mark, except after an abbreviation or inside a name.
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

// isAbbreviated reports whether the full stop after text belongs to an abbreviation or to the number of a list
// item.
func isAbbreviated(text string) bool {
	last := text[strings.LastIndexAny(text, blanks+"(")+1:]
	switch strings.ToLower(last) {
	case "e.g", "i.e", "etc", "vs", "cf", "eg", "ie", "approx", "no", "incl", "resp":
		return last != "no" || strings.HasSuffix(text, " no")
	}
	return len(last) == 1 && last[0] >= '0' && last[0] <= '9' && last == strings.TrimSpace(text)
}

// opensSentence reports whether a sentence can begin with rest, the text after a full stop. Hasty typing begins in
// lower case, so only punctuation rules it out.
func opensSentence(rest string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, blanks))
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("`*(\"'/[", r)
}
