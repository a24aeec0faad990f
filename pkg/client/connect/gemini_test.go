package connect_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// oddSettings are JSON files that people have.
var oddSettings = map[string]string{
	"nothing":             "no file",
	"an empty file":       "",
	"an empty object":     "{}",
	"empty parts":         `{"hooks":{},"mcpServers":{}}`,
	"others' hooks":       "{\n\t\"theme\": \"mine <&>\",\n\t\"hooks\": {\"AfterAgent\": [ {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]} ]},\n\t\"z\": 1e3\n}",
	"other servers":       "{\"mcpServers\": {\"other\": {\"command\":\"npx\"}}}\r\n",
	"a byte order mark":   "\ufeff{}",
	"our name in a value": `{"mcpServers":{"other":{"command":"surrealdb-memory"}}}`,
}

func TestConnectingGeminiLeavesEveryByte(t *testing.T) {
	for name, content := range oddSettings {
		t.Run(name, func(t *testing.T) {
			m := newMachineWith(t, client.Gemini, ".gemini")
			if content != "no file" {
				m.write("settings.json", content)
			}
			m.requireExactlyUndone("settings.json")
		})
	}
}

// TestSettingsThatChangedMeanwhileStay: the client itself writes into its settings.
func TestSettingsThatChangedMeanwhileStay(t *testing.T) {
	m := newMachineWith(t, client.Gemini, ".gemini")
	m.write("settings.json", "{\n  \"theme\": \"x\"\n}\n")
	m.connect()
	m.write("settings.json", strings.Replace(m.read("settings.json"), `"x"`, `"y"`, 1))
	m.disconnect()
	if got, want := m.read("settings.json"), "{\n  \"theme\": \"y\"\n}\n"; got != want {
		t.Errorf("settings.json is %q, want %q", got, want)
	}
}

func TestSettingsThatAreNotUnderstoodAreRefused(t *testing.T) {
	for name, content := range map[string]string{
		"comments":              "{\n  // mine\n  \"theme\": \"x\"\n}\n",
		"no JSON":               "{",
		"servers in a list":     `{"mcpServers":[]}`,
		"another server's name": `{"mcpServers":{"surrealdb-memory":{"command":"x"}}}`,
		"hooks of before":       `{"hooks":{"enabled":true}}`,
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachineWith(t, client.Gemini, ".gemini")
			m.write("settings.json", content)
			if _, err := m.client().Connect(); err == nil || !strings.Contains(err.Error(), "nothing was changed") {
				t.Errorf("connecting: %v", err)
			}
			if m.read("settings.json") != content {
				t.Error("the file was changed")
			}
		})
	}
}

func TestWhyGeminiPassesOverHooksIsTold(t *testing.T) {
	for name, c := range map[string]struct{ setting, want string }{
		"nothing":               {`"z":1`, ""},
		"switched off":          {`"hooksConfig":{"enabled":false}`, "hooks are switched off"},
		"one is switched off":   {`"hooksConfig":{"disabled":["COMMAND"]}`, "1 of 7 hooks are switched off"},
		"server not allowed":    {`"mcp":{"allowed":["other"]}`, "MCP server is switched off"},
		"server excluded":       {`"mcp":{"excluded":["surrealdb-memory"]}`, "MCP server is switched off"},
		"settings of odd kinds": {`"hooksConfig":7`, "cannot unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachineWith(t, client.Gemini, ".gemini")
			m.connect()
			command := "'" + m.env.Paths.Launcher() + "' stop --client gemini"
			m.write("settings.json", strings.Replace(m.read("settings.json"), "{", "{"+strings.Replace(c.setting, "COMMAND", command, 1)+",", 1))
			s := m.client().State()
			if got := strings.Join(s.Problems, "\n"); !s.Connected || !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("it is %+v, want %q", s, c.want)
			}
		})
	}
}

// TestAPartOfTheSettingsIsTold: hooks and server are in one file, and only one of them is left.
func TestAPartOfTheSettingsIsTold(t *testing.T) {
	m := newMachineWith(t, client.Gemini, ".gemini")
	m.connect()
	m.write("settings.json", strings.Replace(m.read("settings.json"), `"mcpServers"`, `"others"`, 1))
	if s := m.client().State(); s.Connected || !s.Partly || s.Remedy == "" {
		t.Errorf("it is %+v", s)
	}
	m.write("settings.json", `{"mcpServers":{"other":{"command":"x"}}}`)
	if s := m.client().State(); s.Connected || s.Partly {
		t.Errorf("without ours it is %+v", s)
	}
}

// TestGeminisOwnHomeIsUsed: a variable moves its configuration.
func TestGeminisOwnHomeIsUsed(t *testing.T) {
	m := newMachine(t)
	elsewhere := t.TempDir()
	getenv := m.env.Getenv
	m.env.Getenv = func(name string) string {
		if name == "GEMINI_CLI_HOME" {
			return elsewhere
		}
		return getenv(name)
	}
	m.name = client.Gemini
	m.connect()
	if _, err := os.Stat(filepath.Join(elsewhere, ".gemini", "settings.json")); err != nil {
		t.Error(err)
	}
}
