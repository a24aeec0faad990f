package connect_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

func newCopilotMachine(t *testing.T) machine {
	t.Helper()
	m := newMachineWith(t, client.Copilot, ".copilot")
	if err := os.Mkdir(filepath.Join(m.dir, "hooks"), 0o700); err != nil {
		t.Fatal(err)
	}
	return m
}

const copilotHooks = "hooks/surrealdb-memory.json"

func TestConnectingCopilotLeavesEveryByte(t *testing.T) {
	for name, content := range oddSettings {
		t.Run(name, func(t *testing.T) {
			m := newCopilotMachine(t)
			if content != "no file" {
				m.write("mcp-config.json", content)
			}
			m.requireExactlyUndone("mcp-config.json", copilotHooks)
		})
	}
}

// TestAFileOfOursGoesAlsoWithoutARecord: of an earlier home, or with a record that was lost.
func TestAFileOfOursGoesAlsoWithoutARecord(t *testing.T) {
	m := newCopilotMachine(t)
	m.connect()
	if err := os.Remove(filepath.Join(m.env.Paths.Clients(), "copilot.json")); err != nil {
		t.Fatal(err)
	}
	m.disconnect()
	if got := m.read(copilotHooks); got != "no file" {
		t.Errorf("left is %q", got)
	}
}

func TestAFileOfOurNameThatIsNotOursIsRefused(t *testing.T) {
	m := newCopilotMachine(t)
	m.write(copilotHooks, "{}")
	if _, err := m.client().Connect(); err == nil || !strings.Contains(err.Error(), "not ours") {
		t.Errorf("connecting: %v", err)
	}
	if m.read(copilotHooks) != "{}" || m.read("mcp-config.json") != "no file" {
		t.Error("a file was changed")
	}
}

func TestWhyCopilotPassesOverHooksIsTold(t *testing.T) {
	m := newCopilotMachine(t)
	m.connect()
	for settings, want := range map[string]string{"{}": "", "{ // mine\n}": "", `{"disableAllHooks": true}`: "switched off"} {
		m.write("settings.json", settings)
		if got := strings.Join(m.client().State().Problems, "\n"); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", settings, got, want)
		}
	}
	m.write(copilotHooks, strings.Replace(m.read(copilotHooks), "SessionStart", "sessionStart", 1))
	if s := m.client().State(); s.Connected || !s.Partly {
		t.Errorf("with other hooks it is %+v", s)
	}
}
