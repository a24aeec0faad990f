// Package secrets replaces secrets in a text: passwords, keys, tokens, card numbers.
//
// Its rules are rows of text in the folder rules; docs/secrets.md describes them, and pkg/text/secrets/rules/words.md is
// generated from them. It takes time linear in the length of a text, and links only a few string functions, because every hook
// runs it before anything reaches the disk. It does not log or keep secrets.
package secrets

import (
	"slices"
	"strings"
)

// Finding is the number of replaced secrets of one kind.
type Finding struct {
	Kind  string
	Count int
}

// Add counts one more secret of a kind. Kinds are listed in the order of their first secret.
func Add(found []Finding, kind string) []Finding {
	for i := range found {
		if found[i].Kind == kind {
			found[i].Count++
			return found
		}
	}
	return append(found, Finding{Kind: kind, Count: 1})
}

// Replace returns s with "[redacted:KIND]" in place of each secret, and adds the secrets to found. A pass may
// uncover secrets for the next one: see package redact.
func Replace(s string, found []Finding) (string, []Finding) {
	all := unfolded(s, find(s))
	if len(all) == 0 {
		return s, found
	}
	var out strings.Builder
	kept := 0
	for _, one := range all {
		out.WriteString(s[kept:one.from])
		out.WriteString(markerStart + one.kind + "]")
		kept = one.to
		found = Add(found, one.kind)
	}
	out.WriteString(s[kept:])
	return everywhere(s, out.String(), all, found)
}

// maxRepeated is the maximum number of secrets per text that are searched for in the whole text.
const maxRepeated = 32

// everywhere replaces the other occurrences of machine-made secrets, because a log often repeats a setting.
func everywhere(s, clean string, all []span, found []Finding) (string, []Finding) {
	searched := 0
	for _, one := range all {
		secret := s[one.from:one.to]
		if searched >= maxRepeated || len(secret) > decisionWindow || strings.Contains(secret, markerStart) ||
			!isMachineMade(secret) {
			continue
		}
		searched++
		n := strings.Count(clean, secret)
		clean = strings.ReplaceAll(clean, secret, markerStart+one.kind+"]")
		for range n {
			found = Add(found, one.kind)
		}
	}
	return clean, found
}

// A terminal breaks long lines, also inside a secret. Only lines long enough to have been broken are joined.

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

// foldsOf returns the line ends at which a terminal may have broken a machine-made text.
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
