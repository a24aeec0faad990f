package describe

import "strings"

// encodedMark replaces data that was left out.
const encodedMark = "[encoded data]"

// leastEncoded is a length that only data reaches without a blank, dot or quotation mark.
const leastEncoded = 400

// withoutEncoded replaces base64 data, such as a picture in a data URL, by encodedMark: it would take the room of the
// user's words in a prompt. Data that is broken into lines stays.
func withoutEncoded(text string) string {
	var kept strings.Builder
	last, from, letters := 0, 0, 0
	for at := 0; at <= len(text); at++ {
		switch {
		case at < len(text) && isLetterOrDigit(text[at]):
			letters++
			continue
		case at < len(text) && strings.IndexByte("+/-_=", text[at]) >= 0:
			continue
		}
		if at-from >= leastEncoded && 4*letters >= 3*(at-from) { // otherwise it is a path or a ruler
			kept.WriteString(text[last:from] + encodedMark)
			last = at
		}
		from, letters = at+1, 0
	}
	return kept.String() + text[last:]
}

func isLetterOrDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
