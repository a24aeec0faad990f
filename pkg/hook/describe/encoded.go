package describe

import "strings"

// encodedMark replaces data that was left out.
const encodedMark = "[encoded data]"

const (
	// leastEncoded is the minimum length of base64 data that is recognised by its letters alone, longer than the digests
	// that people write. leastNamed is the minimum length of the data in a data URL.
	leastEncoded, leastNamed = 120, 16
	// surelyEncoded is a length that only data reaches without a blank, dot or quotation mark.
	surelyEncoded = 400
	// leastLine is the minimum length of a data line that continues in the next line.
	leastLine = 60
)

// withoutEncoded replaces base64 data, such as a picture in a data URL, by encodedMark. The data may span lines. It
// would take the room of the user's words in a prompt.
func withoutEncoded(text string) string {
	if len(text) < leastNamed {
		return text
	}
	var kept strings.Builder
	from := 0
	for at := 0; at < len(text); {
		if letterOf[text[at]] == 0 {
			at++
			continue
		}
		end := at + wordLength(text[at:])
		begin, isNamed := dataURL(text[from:at])
		switch last := lastLine(text, at, end); {
		case isNamed && last-at >= leastNamed:
			begin += from
			end = last
		case last > end && isEncoded(text[at:last]):
			begin, end = at, last
		case isEncoded(text[at:end]), end-at >= surelyEncoded && isWord(text[at:end]):
			begin = at
		default:
			at = end
			continue
		}
		kept.WriteString(text[from:begin])
		kept.WriteString(encodedMark)
		from, at = end, end
	}
	if from == 0 {
		return text
	}
	return kept.String() + text[from:]
}

// The character classes of both base64 alphabets.
const (
	upperLetter = iota + 1
	lowerLetter
	digitLetter
	otherLetter
)

var letterOf = func() (classes [256]byte) {
	for i := range classes {
		switch c := byte(i); {
		case 'A' <= c && c <= 'Z':
			classes[i] = upperLetter
		case 'a' <= c && c <= 'z':
			classes[i] = lowerLetter
		case '0' <= c && c <= '9':
			classes[i] = digitLetter
		case strings.IndexByte("+/-_", c) >= 0:
			classes[i] = otherLetter
		}
	}
	return classes
}()

// wordLength returns the length of the base64 letters and padding at the beginning of a text.
func wordLength(text string) int {
	n := 0
	for n < len(text) && letterOf[text[n]] != 0 {
		n++
	}
	for pads := 0; pads < 2 && n < len(text) && text[n] == '='; pads++ {
		n++
	}
	return n
}

// lastLine returns the end of data that may continue in the lines after text[at:end]. The last line may be shorter if
// it looks like data; a word after the data is the user's.
func lastLine(text string, at, end int) int {
	for width := end - at; width >= leastLine && text[end-1] != '='; {
		next := end + len(text[end:]) - len(strings.TrimLeft(text[end:], "\r\n\t "))
		if next == end || !strings.ContainsRune(text[end:next], '\n') || strings.Count(text[end:next], "\n") > 1 {
			break
		}
		length := wordLength(text[next:])
		isWhole := next+length == len(text) || text[next+length] == '\n' || text[next+length] == '\r'
		line := text[next : next+length]
		isLast := length < width
		if length > width || !isWhole || isLast && !strings.HasSuffix(line, "=") && !looksRandom(line) {
			break
		}
		end = next + length
		if isLast {
			break
		}
	}
	return end
}

// dataURL returns where a data URL begins if its head, up to ";base64,", ends the text.
func dataURL(before string) (begin int, is bool) {
	head, is := strings.CutSuffix(before, ";base64,")
	if !is {
		return 0, false
	}
	begin = strings.LastIndex(head, "data:")
	return begin, begin >= 0 && !strings.ContainsAny(head[begin:], " \t\r\n\"'()<>")
}

func isEncoded(text string) bool { return len(text) >= leastEncoded && looksRandom(text) }

// looksRandom distinguishes base64 from words and paths: it has upper case, lower case and digits, and the class
// changes at 40 % of the characters or more.
func looksRandom(text string) bool {
	var count [otherLetter + 1]int
	changes, was := 0, byte(0)
	for i := range len(text) {
		class := letterOf[text[i]]
		count[class]++
		if class != 0 && class != was {
			changes, was = changes+1, class
		}
	}
	letters := count[upperLetter] + count[lowerLetter] + count[digitLetter]
	return count[upperLetter] > 0 && count[lowerLetter] > 0 && 50*count[digitLetter] >= letters && 5*changes >= 2*len(text)
}

// isWord distinguishes letters and digits from rulers and other drawings.
func isWord(text string) bool {
	letters := 0
	for i := range len(text) {
		if class := letterOf[text[i]]; class != 0 && class != otherLetter {
			letters++
		}
	}
	return 4*letters >= 3*len(text)
}
