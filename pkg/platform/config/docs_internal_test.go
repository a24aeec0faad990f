package config

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// link is a link in Markdown.
var link = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)

// TestTheDocumentedSettingsAreTheSettings holds docs/configuration.md to the
// register: the same keys in the same order, with their variables and defaults.
func TestTheDocumentedSettingsAreTheSettings(t *testing.T) {
	data := musttest.Get(os.ReadFile("../../../docs/configuration.md"))(t)
	var documented, registered []string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(line, "|")
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
		}
		key, env, value := cells[1], cells[2], cells[3]
		meaning := link.ReplaceAllString(strings.ReplaceAll(cells[4], "`", ""), "$1")
		s, known := find(key)
		if text := s.text; text == "" || !strings.HasPrefix(meaning, text) {
			t.Errorf("%s: the documented meaning %q does not begin with its description %q", key, meaning, text)
		} else if len(text) > 100 {
			t.Errorf("%s: the description has %d characters, the most is 100: %s", key, len(text), text)
		}
		documented = append(documented, key+" "+env)
		if value == "" || strings.Contains(value, "$") {
			continue
		}
		if !known {
			continue // reported by the comparison below
		}
		cfg := Default()
		musttest.Is(t, nil, s.set(&cfg, value), "%s: the documented default %q", key, value)
		musttest.Same(t, Default(), cfg, "%s: %q is not the default (-default +documented)", key, value)
	}
	for _, s := range register {
		registered = append(registered, s.key+" "+s.env)
	}
	musttest.Same(t, registered, documented, "docs/configuration.md (-registered +documented)")
}
