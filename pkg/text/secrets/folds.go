package secrets

import (
	"slices"
	"strings"
)

// A terminal breaks long lines, and a secret copied from it then contains a newline. Only lines long enough to have
// been broken are joined.

const (
	// leastWidth is the minimum width of a terminal, in bytes.
	leastWidth = 60
	// maxFolds is the maximum number of joined line ends in a text.
	maxFolds = 256
)

// unfolded adds to found the secrets that contain a line break.
func unfolded(s string, found []span) []span {
	folds := foldsOf(s)
	if len(folds) == 0 {
		return found
	}
	var whole strings.Builder
	at := 0
	for _, fold := range folds {
		whole.WriteString(s[at:fold.from])
		at = fold.to
	}
	whole.WriteString(s[at:])
	text, passed, gone := whole.String(), 0, 0
	place := func(i int) int { // maps an offset in text to an offset in s; offsets must increase
		for passed < len(folds) && folds[passed].from-gone <= i {
			gone += folds[passed].to - folds[passed].from
			passed++
		}
		return i + gone
	}
	for _, one := range find(text) {
		from, before := place(one.from), passed
		to := place(one.to-1) + 1
		if passed == before {
			continue
		}
		first := slices.IndexFunc(found, func(other span) bool { return other.to > from })
		if first < 0 {
			first = len(found)
		}
		last := first
		for last < len(found) && found[last].from < to {
			from, to = min(from, found[last].from), max(to, found[last].to)
			last++
		}
		found = slices.Replace(found, first, last, span{from, to, one.kind})
	}
	return found
}

// foldsOf returns the line ends at which a terminal may have broken a line: the next line begins inside a
// machine-made text.
func foldsOf(s string) []span {
	var folds []span
	begins := 0
	for begins < len(s) && len(folds) < maxFolds {
		length := strings.IndexByte(s[begins:], '\n')
		if length < 0 {
			break
		}
		next := begins + length + 1
		end := next - 1
		if end > begins && s[end-1] == '\r' {
			end--
		}
		if end-begins >= leastWidth && sets[s[end-1]]&any64 != 0 && continuesAt(s, next) {
			folds = append(folds, span{from: end, to: next})
		}
		begins = next
	}
	return folds
}

// continuesAt reports whether the line at i begins with the rest of a machine-made text.
func continuesAt(s string, i int) bool {
	end := i
	for end < len(s) && sets[s[end]]&(any64|dot) != 0 {
		end++
	}
	text := strings.TrimRight(s[i:end], "=")
	if len(text) < 6 || end < len(s) && strings.IndexByte(" \r\n\"'`,;)]}", s[end]) < 0 || strings.Contains(text, "=") {
		return false
	}
	m := makeupOf(text)
	isDate := len(text) >= 10 && text[4] == '-' && text[7] == '-' && allDigits(text[:4])
	return !isDate && (m.changes >= 2 && m.digits > 0 || m.upper > 1 && m.lower > 1)
}
