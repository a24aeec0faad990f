package paths_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

func TestMessagesHaveShortPaths(t *testing.T) {
	for message, want := range map[string]string{
		"/usr/bin/memory is there":                                        "/usr/bin/memory is there",
		"in /home/ada/.claude/settings.json":                              "in ~/.claude/settings.json",
		"open '/home/ada/.claude/plugins/cache/x/0.9.1/bin/memory': gone": "open '…/cache/x/0.9.1/bin/memory': gone",
		"see https://example.test/a/very/long/address/of/a/page.html":     "see https://example.test/a/very/long/address/of/a/page.html",
		"(/home/adam/x)": "(/home/adam/x)",
		"/srv/a-name-that-is-longer-than-what-is-shown, and /home/ada": "…-is-longer-than-what-is-shown, and ~",
		"1/2 of it": "1/2 of it",
		"\"/data/büro/größere/übersicht/ordnung\"":                              "\"…/größere/übersicht/ordnung\"",
		"ends in /a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q and /a/b/c/d/e/f/g/h/i/j/k": "ends in …/d/e/f/g/h/i/j/k/l/m/n/o/p/q and /a/b/c/d/e/f/g/h/i/j/k",
	} {
		if got := paths.Shorten(message, "/home/ada"); got != want {
			t.Errorf("%s\nis shortened to %s\nwant            %s", message, got, want)
		}
	}
}

func TestTildesAreOfTheHomeOnly(t *testing.T) {
	for message, want := range map[string]string{
		"open /home/ann/.claude/x: denied":          "open ~/.claude/x: denied",
		"open /backup/home/ann/x: denied":           "open /backup/home/ann/x: denied",
		`"/home/ann/a" is not "/home/anna/a"`:       `"~/a" is not "/home/anna/a"`,
		"https://host/home/ann/x has no such page":  "https://host/home/ann/x has no such page",
		"/home/ann is no project, nor is /home/ann": "~ is no project, nor is ~",
	} {
		if got := paths.Tildes(message, "/home/ann"); got != want {
			t.Errorf("%q became %q, want %q", message, got, want)
		}
	}
}
