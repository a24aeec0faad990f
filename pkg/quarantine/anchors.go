package quarantine

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// anchors are lower-case strings; each text that a pattern matches contains at least one of them. Nil if there are none.
// A search for them takes a hundredth of the pattern's time, and most texts contain none.
func anchors(pattern *regexp.Regexp) []string {
	parsed, err := syntax.Parse(pattern.String(), syntax.Perl)
	if err != nil { // it was compiled
		return nil
	}
	return anchorsOf(parsed)
}

func anchorsOf(re *syntax.Regexp) []string {
	switch {
	case re.Op == syntax.OpLiteral:
		return []string{folded(string(re.Rune))}
	case re.Op == syntax.OpCapture, re.Op == syntax.OpPlus, re.Op == syntax.OpRepeat && re.Min > 0:
		return anchorsOf(re.Sub[0])
	case re.Op == syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			some := anchorsOf(sub)
			if some == nil {
				return nil
			}
			all = append(all, some...)
		}
		return all
	case re.Op == syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if some := anchorsOf(sub); shortest(some) > shortest(best) {
				best = some
			}
		}
		return best
	}
	return nil
}

// shortest is the length of the shortest anchor.
func shortest(all []string) int {
	if len(all) == 0 {
		return 0
	}
	return len(slices.MinFunc(all, func(a, b string) int { return len(a) - len(b) }))
}

// folded is a text prepared for a case-insensitive search: the long s becomes an s.
func folded(text string) string { return strings.ReplaceAll(strings.ToLower(text), "ſ", "s") }

// hasAny tells whether a folded text has one of the anchors, or there are none.
func hasAny(text string, anchors []string) bool {
	return anchors == nil || slices.ContainsFunc(anchors, func(anchor string) bool { return strings.Contains(text, anchor) })
}
