// Package secrets replaces secrets in a text: passwords, keys, tokens, card numbers.
//
// Its rules are rows of text in the folder rules; docs/secrets.md describes them. It takes time linear in the length of a
// text, and links only a few string functions, because every hook runs it before anything reaches the disk. It does not log or keep secrets.
package secrets

import "strings"

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
	all := find(s)
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
