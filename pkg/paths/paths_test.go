package paths_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

func TestFromEnv(t *testing.T) {
	cases := []struct {
		name string
		env  map[string]string
		want string
	}{
		{"MEMORY_HOME wins", map[string]string{"MEMORY_HOME": "/m", "CLAUDE_CONFIG_DIR": "/c", "HOME": "/h"}, "/m"},
		{"then the client's directory", map[string]string{"CLAUDE_CONFIG_DIR": "/c", "HOME": "/h"}, "/c/surrealdb-memory"},
		{"then the home directory", map[string]string{"HOME": "/h"}, "/h/.claude/surrealdb-memory"},
		{"is cleaned", map[string]string{"MEMORY_HOME": "/m/../n/"}, "/n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := paths.FromEnv(func(key string) string { return c.env[key] }).Home
			if got != c.want {
				t.Errorf("home is %s, want %s", got, c.want)
			}
		})
	}
}

func TestFromEnvWithNothingSetIsStillAbsolute(t *testing.T) {
	if got := paths.FromEnv(func(string) string { return "" }).Home; !filepath.IsAbs(got) {
		t.Errorf("home is %s, want an absolute path", got)
	}
}

func TestAForeignTemporaryFolderIsNotUsed(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	home := func() string { return paths.FromEnv(func(string) string { return "" }).Home }
	mine := home()
	private := filepath.Dir(mine)
	if err := os.Mkdir(private, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := home(); got != mine {
		t.Errorf("home is %s in our own folder, want %s", got, mine)
	}
	if err := os.Chmod(private, 0o777); err != nil { // anybody may put files there
		t.Fatal(err)
	}
	if got := home(); strings.HasPrefix(got, private) {
		t.Errorf("home is %s, where anybody may write", got)
	}
}

func TestSocketStaysShort(t *testing.T) {
	short := paths.Layout{Home: "/m"}
	if got, want := short.Socket(), "/m/run/memoryd.sock"; got != want {
		t.Errorf("socket is %s, want %s", got, want)
	}
	deep := paths.Layout{Home: "/" + strings.Repeat("deep/", 40)}
	if got := deep.Socket(); len(got) > 103 {
		t.Errorf("socket path has %d bytes, which macOS refuses: %s", len(got), got)
	}
	other := paths.Layout{Home: "/" + strings.Repeat("deep/", 41)}
	if deep.Socket() == other.Socket() {
		t.Errorf("two homes share the socket %s", deep.Socket())
	}
}
