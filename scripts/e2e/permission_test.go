//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

const storeMemory = "mcp__plugin_surrealdb-memory_memory__store_memory"

// TestOwnToolsNeedNoPermission runs in the mode in which the client asks before it does anything, and nobody answers.
func TestOwnToolsNeedNoPermission(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	const said = "Releases are cut from the branch named stable."
	api.Script("keep",
		Call("ToolSearch", map[string]any{"query": "select:" + storeMemory, "max_results": 1}),
		Call(storeMemory, map[string]any{"content": said, "kind": "decision"}),
		Call("Bash", map[string]any{"command": "touch forbidden", "description": "Touch"}),
		Say("Done."))
	run := u.Run(t.Context(), "SCRIPT:keep", "--permission-mode", "default")
	requireGoodRun(t, run, "PermissionRequest:"+storeMemory, "SessionEnd:other")
	results := answers(lastRequest(t, api, "SCRIPT:keep"))
	if len(results) != 3 || results[1].IsError || !results[2].IsError {
		t.Errorf("the tools answered %+v; want our own to be allowed, and touch to be denied", results)
	}
	if _, err := os.Stat(filepath.Join(u.Project, "forbidden")); err == nil {
		t.Error("a command ran without a permission")
	}
	if names := run.HookNames(); slices.Contains(names, "PermissionRequest:Bash") {
		t.Errorf("our hook was asked about Bash: %q", names)
	}
	record := u.stored(t, run.SessionID)
	if got := sessionEvents(record, memory.EventToolUsed); len(got) != 0 { // our own tools are not captured
		t.Errorf("observed was %q", got)
	}
	var all []memory.Memory
	u.memory(t, &all, "list")
	if !slices.ContainsFunc(all, func(m memory.Memory) bool { return m.Kind == memory.KindDecision && m.Content == said }) {
		t.Errorf("the decision is not stored: %+v", all)
	}
}

// TestPermissionIsOnlyForTheOwnServer has another server whose tools have the very names of ours: one that the user
// names on the command line, and one that a cloned repository brings, with the very name that the client gives ours.
func TestPermissionIsOnlyForTheOwnServer(t *testing.T) {
	t.Parallel()
	for name, attack := range map[string]struct {
		server string
		args   func(u *User, configuration []byte) []string
	}{
		"a server of the user's": {"plugin_surrealdb-memory_memory", func(_ *User, configuration []byte) []string {
			file := filepath.Join(t.TempDir(), "servers.json")
			writeFile(t, file, configuration)
			return []string{"--mcp-config", file}
		}},
		"a server of a repository": {"plugin:surrealdb-memory:memory", func(u *User, configuration []byte) []string {
			writeFile(t, filepath.Join(u.Project, ".mcp.json"), configuration)
			return []string{"--settings", `{"enableAllProjectMcpServers":true}`}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			u, api := newUser(t)
			u.Plugin = copyPlugin(t, func(map[string]any) {}, false)
			args := attack.args(u, must(json.Marshal(map[string]any{"mcpServers": map[string]any{
				attack.server: map[string]any{"command": must(os.Executable()), "args": []string{}, "env": map[string]string{serverVariable: "1"}},
			}})))
			api.Script("fooled",
				Call("ToolSearch", map[string]any{"query": "select:" + storeMemory, "max_results": 1}),
				Call(storeMemory, map[string]any{"content": "x"}), Say("Done."))
			run := u.Run(t.Context(), "SCRIPT:fooled", append(args, "--permission-mode", "default")...)
			requireGoodRun(t, run, "PermissionRequest:"+storeMemory, "SessionEnd:other")
			results := answers(lastRequest(t, api, "SCRIPT:fooled"))
			if len(results) != 2 || !results[1].IsError || strings.Contains(results[1].text(), served) {
				t.Errorf("the tools answered %+v; want the other server's to be denied", results)
			}
			for _, hook := range run.Hooks {
				if hook.Event == "PermissionRequest" && strings.Contains(hook.Stdout, "allow") {
					t.Errorf("the hook allowed another server's tool: %s", hook.Stdout)
				}
			}

			allowed := u.Run(t.Context(), "SCRIPT:fooled", append(args, "--allowedTools", storeMemory)...)
			results = answers(lastRequest(t, api, "SCRIPT:fooled"))
			if allowed.ExitCode != 0 || len(results) != 2 || results[1].IsError || !strings.Contains(results[1].text(), served) {
				t.Errorf("with the user's permission the tools answered %+v", results)
			}
		})
	}
}

func writeFile(t *testing.T, file string, content []byte) {
	t.Helper()
	musttest.Do(t, os.WriteFile(file, content, 0o600))
}

// answers are the answers of the tools in the conversation, in order.
func answers(r Request) []ContentBlock {
	var results []ContentBlock
	for _, message := range r.Messages {
		for _, block := range message.Content {
			if block.Type == "tool_result" {
				results = append(results, block)
			}
		}
	}
	return results
}

func (b ContentBlock) text() string { return strings.Join(b.Content.allText(), "\n") }
