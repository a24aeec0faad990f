package redact

import (
	"encoding/base64"
	"strings"
)

const (
	// leastWrapped and maxWrapped are how long a text in base64 is that is looked into.
	leastWrapped = 20
	maxWrapped   = 4096
	// peek is the length that is decoded to tell text from other data. It is a
	// multiple of four.
	peek = 16
)

// wrapped is the end of a text at i that is base64 of one with a secret in it, or i.
func (c *scan) wrapped(i int) (kind string, end int) {
	if first := c.s[i]; first < 'I' || first > 'f' || i+leastWrapped > len(c.s) || sets[c.s[i+peek-1]]&any64 == 0 || i > 0 && sets[c.s[i-1]]&any64 != 0 && c.s[i-1] != '=' || i < c.unwrapped || !isPlain(c.s[i:i+peek]) {
		return "", i
	}
	end = i
	for end < len(c.s) && sets[c.s[end]]&any64 != 0 && c.s[end] != '=' && end-i < maxWrapped {
		end++
	}
	c.unwrapped = end
	coded := strings.NewReplacer("-", "+", "_", "/").Replace(c.s[i:end])
	plain, err := base64.RawStdEncoding.DecodeString(coded)
	if err != nil || end-i < leastWrapped {
		return "", i
	}
	var report Report
	text := string(plain)
	if inner := withoutSecrets(text, &report); inner == text || len(report.Found) == 0 {
		return "", i
	}
	for end < len(c.s) && c.s[end] == '=' {
		end++
	}
	return report.Found[0].Kind, end
}

// isPlain reports that base64 begins with text: letters, signs and blanks.
func isPlain(coded string) bool {
	var plain [peek * 3 / 4]byte
	for i := range len(coded) {
		if !isAlnum(coded[i]) && strings.IndexByte("+/-_", coded[i]) < 0 {
			return false
		}
	}
	n, err := base64.StdEncoding.Decode(plain[:], []byte(coded))
	if err != nil || n < len(plain) {
		return false
	}
	for _, b := range plain {
		if (b < ' ' || b > '~') && b != '\n' && b != '\t' && b != '\r' {
			return false
		}
	}
	return true
}
