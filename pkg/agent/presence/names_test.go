package presence

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTheNamesInAFact(t *testing.T) {
	for text, want := range map[string][]string{
		"Rules live in `ship/rules.go`, tests beside them.":                      {"ship/rules.go"},
		"Settings are read from .ferry/settings.json (see docs/settings.md:12).": {".ferry/settings.json", "docs/settings.md"},
		"Run make cruise and npm run lint:ci before a release.":                  {"make cruise", "npm run lint:ci"},
		"`mise run test:e2e` needs a boat; make sure there is one":               {"mise run test:e2e", "make sure"},
		"The folders ship/ and ./tools/gen hold generated code...":               {"ship/", "tools/gen"},
		"Never use time.Now; the clock is injected":                              {"time.Now"},

		"Boats lie in harbour/<id>/boat.json and ~/.ferry/x.json":           nil,
		"See https://example.com/a/b.go and /etc/ferry.conf":                nil,
		"Ids are <id[:2]>/<id[2:]>, globs pkg/*.go, flags --dry-run":        nil,
		"ship/rules.go is split into ship/rules/ and no longer generated":   {"ship/rules/"},
		"There is no ship/rules.go: use ship/law.go instead of ship/old.go": {"ship/law.go"},
		"ship/rules.go does not exist any more":                             nil,
		"renamed ship/rules.go; ship/law.go holds":                          {"ship/law.go"},
		"../other/rules.go and .git/config and \x1b[31m/x.go":               nil,
		"": nil,
	} {
		if got := namesIn(text); !slices.Equal(got, want) {
			t.Errorf("the names in %q are %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for _, name := range namesIn(rapid.String().Draw(t, "text")) {
			if name == "" || name[0] == '/' {
				t.Errorf("the name %q", name)
			}
		}
	})
}
