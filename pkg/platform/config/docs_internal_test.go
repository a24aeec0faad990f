package config

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// link is a link in Markdown.
var link = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)

// TestTheDocumentedSettingsAreTheSettings holds docs/configuration.md to the
// register: the same keys in the same order, with their variables and defaults.
func TestTheDocumentedSettingsAreTheSettings(t *testing.T) {
	data, err := os.ReadFile("../../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
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
		if err := s.set(&cfg, value); err != nil {
			t.Errorf("%s: the documented default %q: %v", key, value, err)
		}
		if diff := cmp.Diff(Default(), cfg); diff != "" {
			t.Errorf("%s: %q is not the default (-default +documented):\n%s", key, value, diff)
		}
	}
	for _, s := range register {
		registered = append(registered, s.key+" "+s.env)
	}
	if diff := cmp.Diff(registered, documented); diff != "" {
		t.Errorf("docs/configuration.md (-registered +documented):\n%s", diff)
	}
}
