package connect_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

func newCursorMachine(t *testing.T) machine {
	t.Helper()
	return newMachineWith(t, client.Cursor, ".cursor")
}

// oddCursorHooks are files of hooks that people have.
var oddCursorHooks = map[string]string{
	"nothing":           "no file",
	"an empty file":     "",
	"no version":        "{}",
	"a version alone":   "{\"version\": 1}\n",
	"no hooks":          "{\"version\":1,\"hooks\":{}}",
	"others' hooks":     "{\n\t\"version\": 1,\n\t\"hooks\": {\"stop\": [ {\"command\": \"./say done\", \"loop_limit\": null} ],\n\t\"beforeShellExecution\": [{\"command\":\"ask\",\"matcher\":\"curl|wget\",\"failClosed\":true}]},\n\t\"z\": 1e3\n}",
	"theirs beside":     "{\"version\":1,\"hooks\":{\"sessionStart\":[{\"command\":\"x\"}],\"postToolUse\":[]}}\r\n",
	"a byte order mark": "\ufeff{\"version\":1}",
}

func TestConnectingCursorLeavesEveryByte(t *testing.T) {
	for name, content := range oddCursorHooks {
		t.Run(name, func(t *testing.T) {
			m := newCursorMachine(t)
			if content != "no file" {
				m.write("hooks.json", content)
			}
			m.requireExactlyUndone("hooks.json", "mcp.json")
		})
	}
	for name, content := range oddSettings {
		t.Run("servers: "+name, func(t *testing.T) {
			m := newCursorMachine(t)
			if content != "no file" {
				m.write("mcp.json", content)
			}
			m.requireExactlyUndone("hooks.json", "mcp.json")
		})
	}
}

// TestCursorsFileOfHooksIsAsItsDocumentsSay: it passes over the whole file if the version is missing, an event is not known
// or a text holds two slashes, which it takes for a comment.
func TestCursorsFileOfHooksIsAsItsDocumentsSay(t *testing.T) {
	m := newCursorMachine(t)
	m.write("hooks.json", `{"hooks":{"stop":[{"command":"theirs"}]}}`)
	m.connect()
	var file struct {
		Version int
		Hooks   map[string][]struct {
			Command, Matcher string
			Timeout          int
		}
	}
	text := m.read("hooks.json")
	if err := json.Unmarshal([]byte(text), &file); err != nil || file.Version != 1 || strings.Contains(text, "//") {
		t.Fatalf("%v: %s", err, text)
	}
	known := strings.Fields(`sessionStart sessionEnd beforeSubmitPrompt preToolUse postToolUse postToolUseFailure subagentStart subagentStop beforeShellExecution
		afterShellExecution beforeMCPExecution afterMCPExecution beforeReadFile afterFileEdit preCompact stop afterAgentResponse afterAgentThought`)
	ours := 0
	for event, hooks := range file.Hooks {
		for _, h := range hooks {
			if strings.HasSuffix(h.Command, " --client cursor") && h.Timeout == 5 {
				ours++
			}
		}
		if !strings.Contains(" "+strings.Join(known, " ")+" ", " "+event+" ") {
			t.Errorf("%s is no event of Cursor's", event)
		}
		if strings.HasPrefix(event, "before") && event != "beforeSubmitPrompt" || event == "preToolUse" || event == "subagentStart" {
			t.Errorf("our hook of %s could refuse a call", event)
		}
	}
	if ours != 10 || file.Hooks["stop"][0].Command != "theirs" {
		t.Errorf("%d of the hooks are ours: %s", ours, text)
	}
}

func TestCursorsFilesThatAreNotUnderstoodAreRefused(t *testing.T) {
	for name, content := range map[string]string{
		"comments":              "{ // mine\n}",
		"a later version":       `{"version":2,"hooks":{}}`,
		"hooks in a list":       `{"version":1,"hooks":[]}`,
		"a hook that is a text": `{"version":1,"hooks":{"stop":["say"]}}`,
		"an event with one":     `{"version":1,"hooks":{"stop":{"command":"say"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			m := newCursorMachine(t)
			m.write("hooks.json", content)
			if _, err := m.client().Connect(); err == nil || !strings.Contains(err.Error(), "nothing was changed") {
				t.Errorf("connecting: %v", err)
			}
			if s := m.client().State(); m.read("hooks.json") != content || m.read("mcp.json") != "no file" || len(s.Problems) == 0 {
				t.Errorf("a file was changed, or it is not told: %+v", s)
			}
		})
	}
}

func TestCursorsMissingHooksAreTold(t *testing.T) {
	m := newCursorMachine(t)
	m.connect()
	if s := m.client().State(); !s.Connected || len(s.Problems) > 0 {
		t.Errorf("connected, it is %+v", s)
	}
	for name, content := range map[string]string{
		"one hook is gone":    strings.Replace(m.read("hooks.json"), `"afterFileEdit"`, `"stop"`, 1),
		"all hooks are gone":  `{"version":1}`,
		"the version is gone": strings.Replace(m.read("hooks.json"), `"version": 1,`, "", 1),
	} {
		m.write("hooks.json", content)
		if s := m.client().State(); s.Connected || !s.Partly || s.Remedy != "memory clients connect cursor" {
			t.Errorf("%s: it is %+v", name, s)
		}
		m.connect()
	}
}

// TestWhatCursorsUserChangedMeanwhileStays: also where the record of what was there is lost.
func TestWhatCursorsUserChangedMeanwhileStays(t *testing.T) {
	m := newCursorMachine(t)
	m.connect()
	m.write("hooks.json", strings.Replace(m.read("hooks.json"), `"sessionStart": [`, `"sessionStart": [ {"command": "theirs"},`, 1))
	m.disconnect()
	if got, want := m.read("hooks.json"), "{\n  \"version\": 1,\n  \"hooks\": {\n    \"sessionStart\": [\n      {\n        \"command\": \"theirs\"\n      }\n    ]\n  }\n}\n"; got != want {
		t.Errorf("left is %s, want %s", got, want)
	}
	m = newCursorMachine(t)
	m.connect()
	if err := os.Remove(filepath.Join(m.env.Paths.Clients(), "cursor.json")); err != nil {
		t.Fatal(err)
	}
	m.disconnect()
	if m.read("hooks.json") != "no file" || m.read("mcp.json") != "{}\n" {
		t.Errorf("left are %s and %s", m.read("hooks.json"), m.read("mcp.json"))
	}
}
