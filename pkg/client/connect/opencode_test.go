package connect_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

const opencodePlugin = "plugins/surrealdb-memory.js"

func newOpenCodeMachine(t *testing.T) machine {
	t.Helper()
	m := newMachineWith(t, client.OpenCode, filepath.Join(".config", "opencode"))
	if err := os.Mkdir(filepath.Join(m.dir, "plugins"), 0o700); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestConnectingOpenCodeLeavesEveryByte(t *testing.T) {
	m := newOpenCodeMachine(t)
	m.write("opencode.json", "{ // mine\n}\n") // it may have comments: nobody edits it
	m.requireExactlyUndone("opencode.json", opencodePlugin)
}

func TestAPluginOfOurNameThatIsNotOursIsRefused(t *testing.T) {
	m := newOpenCodeMachine(t)
	m.write(opencodePlugin, "export const Mine = async () => ({})\n")
	if _, err := m.client().Connect(); err == nil || !strings.Contains(err.Error(), "not ours") {
		t.Errorf("connecting: %v", err)
	}
}

// TestAnEarlierPluginIsReplaced: an update of ours comes with a new plugin, which doctor asks to be connected again.
func TestAnEarlierPluginIsReplaced(t *testing.T) {
	m := newOpenCodeMachine(t)
	m.connect()
	m.write(opencodePlugin, "// earlier\n"+m.read(opencodePlugin))
	if s := m.client().State(); s.Connected {
		t.Errorf("it is %+v", s)
	}
	if !m.connect() || strings.Contains(m.read(opencodePlugin), "earlier") {
		t.Error("it was not replaced")
	}
}

// TestThePluginGoesOnWithoutItsPrograms drives the plugin as OpenCode does, with a launcher that answers, that fails
// and that is gone.
func TestThePluginGoesOnWithoutItsPrograms(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node")
	}
	m := newOpenCodeMachine(t)
	m.connect()
	module := filepath.Join(t.TempDir(), "plugin.mjs")
	if err := os.WriteFile(module, []byte(m.read(opencodePlugin)), 0o600); err != nil {
		t.Fatal(err)
	}
	drive := `const { SurrealDBMemory } = await import(process.argv[1])
const p = await SurrealDBMemory({ directory: process.cwd() })
const config = {}; await p.config(config)
const parts = [{ type: "text", text: "hello" }], system = ["You are"], result = { output: "done", metadata: { exit: 0 } }
await p.event({ event: { type: "unknown.event", properties: {} } })
await p["chat.message"]({ sessionID: "ses_1" }, { message: { id: "msg_1", agent: "build" }, parts })
await p["experimental.chat.system.transform"]({ sessionID: "ses_1" }, { system })
await p["experimental.chat.system.transform"]({}, { system })
await p["tool.execute.before"]({ tool: "bash", sessionID: "ses_1" }, { args: {} })
await p["tool.execute.after"]({ tool: "bash", sessionID: "ses_1", callID: "c", args: {} }, result)
await p["tool.execute.after"]({ tool: "x_y", sessionID: "ses_1", callID: "c", args: {} }, {})
await p.event({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } })
await p.dispose()
console.log(JSON.stringify([config.mcp["surrealdb-memory"].command[1], parts.slice(1).map((x) => x.text), system.slice(1), result.output]))`
	for name, c := range map[string]struct{ launcher, want string }{
		"an answer":   {"#!/bin/sh\ncat >/dev/null\necho '{\"hookSpecificOutput\":{\"additionalContext\":\"'$1'\"}}'\n", `["memory-mcp",["user-prompt-submit"],["session-start"],"done\npost-tool-use\npost-tool-use-failure"]`},
		"no answer":   {"#!/bin/sh\nexit 3\n", `["memory-mcp",[],[],"done"]`},
		"another one": {"#!/bin/sh\necho '7 {'\n", `["memory-mcp",[],[],"done"]`},
		"gone":        {"", `["memory-mcp",[],[],"done"]`},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(m.env.Paths.Launcher(), []byte(c.launcher), 0o700); err != nil {
				t.Fatal(err)
			}
			if c.launcher == "" {
				if err := os.Remove(m.env.Paths.Launcher()); err != nil {
					t.Fatal(err)
				}
			}
			output, err := exec.CommandContext(t.Context(), node, "--input-type=module", "-e", drive, module).CombinedOutput()
			if got := strings.TrimSpace(string(output)); err != nil || got != c.want {
				t.Errorf("it said %s, want %s: %v", got, c.want, err)
			}
		})
	}
}
