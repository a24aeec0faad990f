//go:build unix

package doctor

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
)

func TestWhatOthersCanReadOfARemoteStoreIsFound(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"ws://memory.example.org:8000", "settings.unencrypted"},
		{"http://192.0.2.1:8000", "settings.unencrypted"},
		{"wss://memory.example.org", ""},
		{"ws://127.0.0.1:8000", ""},
		{"ws://[::1]:8000", ""},
		{"http://localhost:8000", ""},
		{"", ""},
	} {
		d := Doctor{Config: config.Config{Store: config.Store{URL: c.url}}}
		var checks []string
		d.remote()
		for _, found := range d.found {
			checks = append(checks, found.Check)
		}
		if got := strings.Join(checks, " "); got != c.want {
			t.Errorf("%s: found %q, want %q", c.url, got, c.want)
		}
	}
}
