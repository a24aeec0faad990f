package describe

import "strings"

// encodedMark replaces data that was left out.
const encodedMark = "[encoded data]"

const (
	// leastEncoded is the minimum length of base64 data that is recognised by its letters, as long as its lines usually are.
	leastEncoded = 60
	// leastInLine is the minimum length of data that is a part of a line. Links and paths are shorter.
	leastInLine = 120
	// surelyEncoded is a length that only data reaches without a blank, dot or quotation mark.
	surelyEncoded = 400
)

// withoutEncoded replaces base64 data, such as a picture in a data URL, by encodedMark. The data may span lines. It
// would take the room of the user's words in a prompt.
func withoutEncoded(text string) string {
	if len(text) < leastEncoded {
		return text
	}
	var kept strings.Builder
	isAfterData := false
	for text != "" {
		gap, word := "", ""
		gap, text = split(text, false)
		word, text = split(text, true)
		isLine := (gap == "" || strings.HasSuffix(strings.TrimRight(gap, " \t"), "\n")) && strings.IndexAny(strings.TrimLeft(text, "=\r")+"\n", "\n") == 0
		if !isEncoded(word) || len(word) < leastInLine && !isLine {
			kept.WriteString(gap + word)
			isAfterData = false
			continue
		}
		if !isAfterData || strings.TrimSpace(gap) != "" { // otherwise it is the next line of the same data
			kept.WriteString(gap + encodedMark)
		}
		text, isAfterData = strings.TrimLeft(text, "="), true
	}
	return kept.String()
}

// split separates the characters of both base64 alphabets at the beginning of a text, or those of neither, from the rest.
func split(text string, inAlphabet bool) (first, rest string) {
	for i := range len(text) {
		if (classOf(text[i]) != noLetter) != inAlphabet {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// The character classes of both base64 alphabets.
const (
	noLetter = iota
	upperLetter
	lowerLetter
	digitLetter
	otherLetter
)

func classOf(c byte) int {
	switch {
	case 'A' <= c && c <= 'Z':
		return upperLetter
	case 'a' <= c && c <= 'z':
		return lowerLetter
	case '0' <= c && c <= '9':
		return digitLetter
	case strings.IndexByte("+/-_", c) >= 0:
		return otherLetter
	}
	return noLetter
}

// isEncoded distinguishes base64 from words, paths and rulers: it has upper case, lower case and digits, and the class
// changes at 45 % of the characters or more.
func isEncoded(word string) bool {
	var count [otherLetter + 1]int
	changes, was := 0, noLetter
	for i := range len(word) {
		class := classOf(word[i])
		if count[class]++; class != was {
			changes, was = changes+1, class
		}
	}
	letters := len(word) - count[otherLetter]
	isRandom := count[upperLetter] > 0 && count[lowerLetter] > 0 && 50*count[digitLetter] >= letters && 20*changes >= 9*len(word)
	return len(word) >= surelyEncoded && 4*letters >= 3*len(word) || len(word) >= leastEncoded && isRandom
}
