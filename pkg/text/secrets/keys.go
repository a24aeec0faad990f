package secrets

import "strings"

// A long text may be cut inside a private key. Then the first or last line is missing, but the length of the lines identifies the key.

// mostKey is the maximum length in bytes of an SSH2 key.
const mostKey = 8 << 10

// leastKeyLine is the least length in bytes of a key's lines except the last: PEM has 64, OpenSSH 70, PGP up to 76.
const leastKeyLine = 60

// keyAbove returns the range of the key whose last line is at i, or i, i. It looks no further back than least.
func keyAbove(s string, least, i int) (from, end int) {
	label := strings.TrimPrefix(window(s[i:], 64), pemClose)
	title, _, isClosed := strings.Cut(label, "-----")
	if !strings.HasPrefix(s[i:], pemClose) || !isClosed || !strings.Contains(title, pemKey) || strings.ContainsAny(title, "\r\n") {
		return i, i
	}
	from, end = i, i+len(pemClose)+len(title)+len("-----")
	for short := 0; from > least; {
		line, next := lineBefore(s, least, from)
		isTooShort := len(line) < leastKeyLine
		if isTooShort {
			short++
		}
		if !isKeyLine(line) && startOf("proc-type: dek-info:", line) == "" || short > 2 || isTooShort && isWordLine(line) {
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

// keyLinesAbove returns the start of the key lines above i, or i. Only the last one, and the first after a cut, may be short.
func keyLinesAbove(s string, least, i int) int {
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

// ssh2 returns the end of the key "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----" at i, or i.
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

// lineBefore returns the line that ends before i, without the marks around it, and its start. A line begins after a
// newline, after \n inside JSON, or after a cut marker.
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

// isKeyLine reports whether a line may belong to a key.
func isKeyLine(line string) bool {
	return line != "" && spanOf(line, 0, any64) == len(line) && strings.Trim(strings.TrimRight(line, "="), "=-_") != ""
}

// isWordLine reports whether a line is a word and not the short last line of a key.
func isWordLine(line string) bool {
	return !strings.HasPrefix(line, "=") && strings.Trim(line, alphabet) == "" && makeupOf(line).upper <= 1
}

// keyLinesBelow returns the end of the key lines at i, or i. The first may be incomplete; one must be whole and random.
func keyLinesBelow(s string, i int) int {
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

// endsLine reports whether a line, or the text before a cut, ends at i.
func endsLine(s string, i int) bool {
	return i == len(s) || s[i] == '\n' || s[i] == '\r' || strings.HasPrefix(s[i:], "…")
}
