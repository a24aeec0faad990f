package secrets

import (
	"slices"
	"strings"
)

// A terminal breaks a long line where it ends, and a secret that is copied from there has
// the end of a line in it. Only lines that are long enough to have been broken are put
// together.

const (
	// leastWidth is the least width of a terminal, in bytes.
	leastWidth = 60
	// maxFolds bounds how many ends of lines are looked over in one text.
	maxFolds = 256
)

// unfolded adds the secrets that an end of a line divides to those that were found.
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
	place := func(i int) int { // in s of a byte of text; asked in order
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

// foldsOf are the ends of lines at which a terminal may have broken one: the next begins in
// the middle of a machine-made text.
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
		if end-begins >= leastWidth && sets[s[end-1]]&any64 != 0 && goesOnAt(s, next) {
			folds = append(folds, span{from: end, to: next})
		}
		begins = next
	}
	return folds
}

// goesOnAt reports that a line begins with a part of a machine-made text.
func goesOnAt(s string, i int) bool {
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
