package connect_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// FuzzSettings: whatever Codex's settings hold, connecting it is refused and changes no byte, or is whole the first time
// and undone.
func FuzzSettings(f *testing.F) {
	for _, files := range odd {
		f.Add([]byte(files[0]), []byte(files[1]))
	}
	f.Fuzz(func(t *testing.T, object, table []byte) {
		m := newMachine(t)
		files := map[string]string{"hooks.json": string(object), "config.toml": string(table)}
		for name, text := range files {
			m.write(name, text)
		}
		if _, err := m.codex().Connect(); err != nil {
			for name, text := range files {
				musttest.Same(t, text, m.read(name), "%s after it was refused", name)
			}
			return
		}
		m.requireConnected(files)
		m.disconnect()
		after := m.said()
		for name, text := range files {
			m.write(name, text)
		}
		if before := m.said(); !slices.Equal(after, before) {
			t.Errorf("the files say %q after they were connected and disconnected, said %q", after, before)
		}
	})
}

func (m machine) requireConnected(files map[string]string) {
	m.t.Helper()
	if s := m.codex().State(); !s.Connected {
		m.t.Errorf("it is %+v", s)
	}
	for name := range files {
		if text := m.read(name); !isValid(name, text) && isValid(name, files[name]) {
			m.t.Errorf("%s is not valid any more: %q", name, text)
		}
	}
	if changed := m.connect(); changed {
		m.t.Error("the second time changed something")
	}
}

func isValid(name, text string) bool {
	if filepath.Ext(name) == ".json" {
		return json.Valid([]byte(text))
	}
	return toml.Unmarshal([]byte(text), new(map[string]any)) == nil
}
