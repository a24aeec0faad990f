// Package secrets replaces secrets in a text: passwords, keys, tokens, numbers of cards.
//
// Its rules are rows of text in the folder rules; docs/secrets.md describes them, and
// pkg/text/secrets/rules/words.md is generated from them. It works in time linear in a text's length, and
// links nothing but a few string functions, because every hook runs it before anything
// reaches the disk. It logs nothing and keeps nothing of the secrets.
package secrets

import "strings"

// Finding is how often secrets of one kind were replaced.
type Finding struct {
	Kind  string
	Count int
}

// Add counts one more of a kind. Kinds are listed once, in the order of their first.
func Add(found []Finding, kind string) []Finding {
	for i := range found {
		if found[i].Kind == kind {
			found[i].Count++
			return found
		}
	}
	return append(found, Finding{Kind: kind, Count: 1})
}

// Replace returns s with "[redacted:KIND]" in place of each secret, and adds the secrets to
// found. One pass may uncover secrets for the next one: see package redact.
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

// maxRepeated bounds how many secrets of one text are searched for in all of it.
const maxRepeated = 32

// everywhere replaces a machine-made secret that was found in one place of s in all
// other places too, because a log often repeats a setting.
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
		if n > 0 {
			clean = strings.ReplaceAll(clean, secret, markerStart+one.kind+"]")
		}
		for range n {
			found = Add(found, one.kind)
		}
	}
	return clean, found
}
