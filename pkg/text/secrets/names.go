package secrets

import "strings"

const longestEnding = len("dockerconfigjson")

// endingOf returns the last letters and digits of a name, in lower case, using the buffer folded.
func endingOf(name string, folded *[longestEnding]byte) []byte {
	at := len(folded)
	for i := len(name) - 1; i >= 0 && at > 0; i-- {
		if isAlnum(name[i]) {
			at--
			folded[at] = lower(name[i])
		}
	}
	return folded[at:]
}

// kindBy returns the kind of the first ending in the table that matches, and whether one does.
func kindBy(by *index, names []ending, folded []byte) (kind string, ok bool) {
	if len(folded) == 0 {
		return "", false
	}
	for at := by.first[folded[len(folded)-1]]; at != 0; at = by.next[at] {
		if one := &names[at-1]; len(folded) >= len(one.text) && string(folded[len(folded)-len(one.text):]) == one.text {
			return one.kind, true
		}
	}
	return "", false
}

func endsInOne(name, words string) bool {
	var folded [longestEnding]byte
	ending := string(endingOf(name, &folded))
	for one := range strings.SplitSeq(words, " ") {
		if strings.HasSuffix(ending, one) {
			return true
		}
	}
	return false
}

// kindOfName returns the kind of secret that a name certainly denotes, or "".
func kindOfName(name string) string {
	var folded [longestEnding]byte
	if kind, ok := kindBy(&sureNamesBy, sureNames[:], endingOf(name, &folded)); ok {
		return kind
	}
	if at := len(name) - len("pass"); hasSuffixFold(name, "pass") &&
		(at == 0 || !isAlnum(name[at-1]) || name[at] == 'P' || !endsInOne(name[:at], otherPasses)) {
		return Password // DB_PASS, --pass, dbPass, dbpass; not bypass
	}
	if at := len(name) - len("pw"); at > 0 && hasSuffixFold(name, "pw") && !isAlnum(name[at-1]) {
		return Password // root_pw
	}
	return ""
}

// likelyKind returns the kind of secret that a name denotes if its value is machine-made, or "".
func likelyKind(name string) string {
	var folded [longestEnding]byte
	kind, isLikely := kindBy(&likelyNamesBy, likelyNames[:], endingOf(name, &folded))
	switch {
	case isLikely && kind == APIKey && endsInOne(name, publicKeys):
		return ""
	case isLikely:
		return kind
	case isDescriptor(name):
		return ""
	}
	return partOf(name)
}

// isDescriptor reports whether a name denotes an id or a property of a secret (token_expiry).
func isDescriptor(name string) bool {
	var folded [longestEnding]byte
	_, ok := kindBy(&descriptorsBy, descriptors[:], endingOf(name, &folded))
	return ok
}

// partOf returns the kind of the first part that a name contains, or "".
func partOf(name string) string {
	for at := range len(name) {
		for i := range nameParts {
			if hasFold(name, at, nameParts[i].text) {
				return nameParts[i].kind
			}
		}
	}
	return ""
}
