//go:build unix

package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
)

func TestWhatOthersCanReadOfARemoteStoreIsFound(t *testing.T) {
	open, closed := filepath.Join(t.TempDir(), "open.key"), filepath.Join(t.TempDir(), "closed.key")
	for file, mode := range map[string]os.FileMode{open: 0o644, closed: 0o600} {
		if err := os.WriteFile(file, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ url, key, want string }{
		{"ws://memory.example.org:8000", "", "settings.unencrypted"},
		{"http://192.0.2.1:8000", closed, "settings.unencrypted"},
		{"wss://memory.example.org", closed, ""},
		{"https://memory.example.org", open, "settings.key_mode"},
		{"ws://127.0.0.1:8000", "", ""},
		{"ws://[::1]:8000", "", ""},
		{"http://localhost:8000", "", ""},
		{"", "", ""},
	} {
		d := Doctor{Config: config.Config{Store: config.Store{URL: c.url, ClientKey: c.key}}}
		var checks []string
		d.remote()
		for _, found := range d.found {
			checks = append(checks, found.Check)
		}
		if got := strings.Join(checks, " "); got != c.want {
			t.Errorf("%s with the key %q: found %q, want %q", c.url, c.key, got, c.want)
		}
	}
}
