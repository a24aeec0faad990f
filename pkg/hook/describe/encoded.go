package describe

import "strings"

// encodedMark stands where data was left out.
const encodedMark = "[encoded data]"

const (
	// leastEncoded is the length of the shortest data in base64 that is recognised by its letters alone: longer than
	// the digests that people write. leastNamed is that of data that a data URL names.
	leastEncoded, leastNamed = 120, 16
	// surelyEncoded is a length that nothing else has without any blank, dot or quotation mark.
	surelyEncoded = 400
	// leastLine is the length of a line that may go on in the next.
	leastLine = 60
)

// withoutEncoded replaces data in base64, such as a picture in a data URL, in one line or in many. Prompts are kept
// for the user's words, and data beside those leaves no room for them.
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

// The classes of the letters of base64, of both alphabets.
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

// wordLength is how much of the beginning of a text is letters of base64 and their padding.
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

// lastLine is the end of data in lines, whose first is text[at:end]. A line that ends shorter than those before is the
// last, if it looks like data, too: a word behind data is the user's.
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

// dataURL finds the beginning of a data URL at the end of a text, in front of its data.
func dataURL(before string) (begin int, is bool) {
	head, is := strings.CutSuffix(before, ";base64,")
	if !is {
		return 0, false
	}
	begin = strings.LastIndex(head, "data:")
	return begin, begin >= 0 && !strings.ContainsAny(head[begin:], " \t\r\n\"'()<>")
}

func isEncoded(text string) bool { return len(text) >= leastEncoded && looksRandom(text) }

// looksRandom separates random letters from those of words and paths: upper case, lower case and digits, which
// change at two letters of five.
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

// isWord separates letters and digits from rulers and other drawings.
func isWord(text string) bool {
	letters := 0
	for i := range len(text) {
		if class := letterOf[text[i]]; class != 0 && class != otherLetter {
			letters++
		}
	}
	return 4*letters >= 3*len(text)
}
