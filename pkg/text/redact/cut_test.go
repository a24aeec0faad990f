package redact_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// TestNoLineOfAKeyIsLeftByACut: a long prompt is cut before secrets are looked for, and the
// cut may lie in a private key, so that its first lines, its last or both are gone.
func TestNoLineOfAKeyIsLeftByACut(t *testing.T) {
	lines := keyLines(50)
	log := func(n int) string { return strings.Repeat("2026-11-20 10:00:00 INFO request served in 12 ms\n", n) }
	for name, key := range map[string]string{
		"PKCS 8":   "-----BEGIN PRIVATE KEY-----\n" + strings.Join(lines, "\n") + "\n-----END PRIVATE KEY-----\n",
		"RSA":      "-----BEGIN RSA PRIVATE KEY-----\r\n" + strings.Join(lines, "\r\n") + "\r\n-----END RSA PRIVATE KEY-----\r\n",
		"OpenSSH":  "-----BEGIN OPENSSH PRIVATE KEY-----\n" + strings.Join(lines, "\n") + "\nabC=\n-----END OPENSSH PRIVATE KEY-----\n",
		"PGP":      "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n" + strings.Join(lines, "\n") + "\n=aB3d\n-----END PGP PRIVATE KEY BLOCK-----\n",
		"indented": "key: |\n  -----BEGIN EC PRIVATE KEY-----\n  " + strings.Join(lines, "\n  ") + "\n  -----END EC PRIVATE KEY-----\n",
		"JSON":     `{"private_key": "-----BEGIN PRIVATE KEY-----\n` + strings.Join(lines, `\n`) + `\n-----END PRIVATE KEY-----\n"}` + "\n",
		"PuTTY":    "Public-Lines: 1\nAAAA\nPrivate-Lines: 50\n" + strings.Join(lines, "\n") + "\nPrivate-MAC: 0123456789abcdef0123456789abcdef01234567\n",
	} {
		for before := 0; before < 90; before += 13 { // the cut goes through the key at another place each time
			for _, after := range []int{0, 310} {
				text := musttest.Get(json.Marshal("why does it fail?\n" + log(250+before) + key + log(after)))(t)
				input := musttest.Get(hookio.Decode(strings.NewReader(`{"hook_event_name": "UserPromptSubmit", "prompt": ` + string(text) + `}`)))(t)
				kept := redact.Clean(input.Prompt)
				for i, one := range lines {
					for _, part := range []string{one[:16], one[24:40], one[48:]} {
						if at := strings.Index(kept, part); at >= 0 {
							t.Fatalf("%s, %d lines before and %d behind: of line %d is kept %q", name, 250+before, after, i, kept[max(0, at-100):min(len(kept), at+100)])
						}
					}
				}
				if !strings.Contains(kept, "why does it fail?") || after > 0 && !strings.HasSuffix(kept, "served in 12 ms\n") {
					t.Fatalf("%s, %d lines before and %d behind: the log is gone", name, 250+before, after)
				}
			}
		}
	}
}

// keyLines are lines of 64 letters, digits and signs, as keys have them.
func keyLines(n int) []string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	lines := make([]string, n)
	state := uint64(104729)
	for i := range lines {
		text := make([]byte, 64)
		for j := range text {
			state = state*6364136223846793005 + 1442695040888963407
			text[j] = alphabet[state>>58]
		}
		lines[i] = string(text)
	}
	return lines
}
