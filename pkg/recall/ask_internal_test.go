package recall

import "testing"

func TestIdentifiers(t *testing.T) {
	for whole, is := range map[string]bool{
		"os.getwd": true, "writebatch": true, "max_headers": true, "pkg/store/batch.go": true, "changelog.md": true, "no-use/pep517": true,
		"e.g": false, "1.42.7": false, "3.10-dev": false, "thread-safe": false, "server-sent": false,
	} {
		if isIdentifier(whole) != is {
			t.Errorf("%q is an identifier: %v", whole, !is)
		}
	}
}
