package connect_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// FuzzSettings: whatever a client's settings hold, connecting it is refused and changes no byte, or is whole the first
// time and wholly undone.
func FuzzSettings(f *testing.F) {
	for _, files := range odd {
		f.Add([]byte(files[0]), []byte(files[1]))
	}
	f.Fuzz(func(t *testing.T, object, table []byte) {
		for _, m := range []machine{newMachineWith(t, client.Codex, ".codex"), newMachineWith(t, client.Gemini, ".gemini")} {
			files := map[string]string{"hooks.json": string(object), "config.toml": string(table)}
			if m.name == client.Gemini {
				files = map[string]string{"settings.json": string(object)}
			}
			for name, text := range files {
				m.write(name, text)
			}
			m.requireAsItWas(files, "connected and disconnected")
		}
	})
}

func (m machine) requireAsItWas(files map[string]string, after string) {
	m.t.Helper()
	if _, err := m.client().Connect(); err != nil {
		after = "refused"
	} else {
		m.requireConnected(files)
		m.disconnect()
	}
	for name, text := range files {
		if got := m.read(name); got != text {
			m.t.Errorf("%s of %s is %q after it was %s, was %q", name, m.name, got, after, text)
		}
	}
}

func (m machine) requireConnected(files map[string]string) {
	m.t.Helper()
	if s := m.client().State(); !s.Connected {
		m.t.Errorf("%s is %+v", m.name, s)
	}
	for name := range files {
		if text := m.read(name); filepath.Ext(name) == ".json" && !json.Valid([]byte(text)) && json.Valid([]byte(files[name])) {
			m.t.Errorf("%s of %s is no JSON any more: %q", name, m.name, text)
		}
	}
	if changed := m.connect(); changed {
		m.t.Errorf("the second time changed something of %s", m.name)
	}
}
