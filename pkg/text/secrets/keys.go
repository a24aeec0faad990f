package secrets

import "strings"

// A long text is cut, possibly within a private key, which then lacks the first or last line
// that identifies it. The length of its lines still does.

// mostKey is how many bytes a key of SSH2 may have.
const mostKey = 8 << 10

// leastKeyLine is the length in bytes of the lines of a key but for the last: PEM has 64,
// OpenSSH 70 and PGP up to 76.
const leastKeyLine = 60

// keyTail finds the lines of a key above its end, "-----END PRIVATE KEY-----" at i. The
// search goes back to least.
func keyTail(s string, least, i int) (from, end int) {
	label := strings.TrimPrefix(window(s[i:], 64), pemClose)
	title, _, isClosed := strings.Cut(label, "-----")
	if !strings.HasPrefix(s[i:], pemClose) || !isClosed || !strings.Contains(title, pemKey) || strings.ContainsAny(title, "\r\n") {
		return i, i
	}
	from, end = i, i+len(pemClose)+len(title)+len("-----")
	for short := 0; from > least; {
		line, next := lineBefore(s, least, from)
		isShort := len(line) < leastKeyLine
		if isShort {
			short++
		}
		if !isKeyLine(line) && startOf("proc-type: dek-info:", line) == "" || short > 2 || isShort && isWordLine(line) {
			break
		}
		from = next
		if strings.HasSuffix(s[:from], "bytes cut]…") {
			break
		}
	}
	if from == i {
		return i, i
	}
	return from, end
}

// linesAbove is where the lines of a key begin that end above i, or i: but for the last and one
// that a cut begins they are whole.
func linesAbove(s string, least, i int) int {
	from := i
	for from > least {
		line, next := lineBefore(s, least, from)
		isWhole := len(line) >= leastKeyLine || from == i || strings.HasSuffix(s[:next], "…")
		if !isKeyLine(line) || !isWhole || isWordLine(line) {
			break
		}
		from = next
	}
	return from
}

// ssh2 is the end of the key "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----" at i, or i.
func ssh2(s string, i int) int {
	const begins = "---- BEGIN "
	title, _, isClosed := strings.Cut(strings.TrimPrefix(window(s[i:], 64), begins), " ----")
	if !isClosed || !strings.HasPrefix(s[i:], begins) || !strings.Contains(title, pemKey) {
		return i
	}
	ends := "---- END " + title + " ----"
	if at := strings.Index(window(s[i:], mostKey), ends); at >= 0 {
		return i + at + len(ends)
	}
	return keyEnd(s, i+len(begins)+len(title)+len(" ----"))
}

// lineBefore returns the line that ends before i, without its surroundings, and where it
// begins: after the end of another line, which JSON writes as \n, or after the mark of a cut.
func lineBefore(s string, least, i int) (line string, from int) {
	end := i
	for end > least {
		if end-2 >= least && s[end-2] == '\\' && (s[end-1] == 'n' || s[end-1] == 'r') {
			end--
		} else if strings.IndexByte(" \t\r\n>+|", s[end-1]) < 0 {
			break
		}
		end--
	}
	from = end
	for from > least && sets[s[from-1]]&any64 != 0 && (from-2 < least || s[from-2] != '\\') {
		from--
	}
	if from > least && strings.IndexByte("\n \t>+\"'`|\\n", s[from-1]) < 0 && !strings.HasSuffix(s[:from], "…") {
		return "", i
	}
	return s[from:end], from
}

// isKeyLine reports that a line may be one of a key.
func isKeyLine(line string) bool {
	return line != "" && spanOf(line, 0, any64) == len(line) && strings.Trim(strings.TrimRight(line, "="), "=-_") != ""
}

// isWordLine reports a line that is a word, and not the short last one of a key.
func isWordLine(line string) bool {
	return !strings.HasPrefix(line, "=") && strings.Trim(line, alphabet) == "" && makeupOf(line).upper <= 1
}

// keyLines is the end of the lines of a key that begin at i, in the middle of one, or i:
// there must be a whole line, and they must be drawn.
func keyLines(s string, i int) int {
	end, whole := i, 0
	for first := true; end < len(s); first = false {
		from := end
		if !first {
			from += len(s[from:]) - len(strings.TrimLeft(s[from:], " \t\r\n"))
		}
		to := spanOf(s, from, any64)
		if to == from || !endsLine(s, to) {
			break
		}
		if line := s[from:to]; to-from >= leastKeyLine && makeupOf(line).isRandom() {
			whole++
		} else if !first {
			if whole > 0 && !isWordLine(line) {
				end = to
			}
			break
		}
		end = to
	}
	if whole == 0 {
		return i
	}
	return end
}

// endsLine reports that a line, or the text before a cut, ends at i.
func endsLine(s string, i int) bool {
	return i == len(s) || s[i] == '\n' || s[i] == '\r' || strings.HasPrefix(s[i:], "…")
}
