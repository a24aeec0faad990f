//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// copyPlugin copies the plugin for changes: change edits its hooks.json, and it has .mcp.json only with withServer.
// Programs and engine are the real ones.
func copyPlugin(t *testing.T, change func(hooks map[string]any), withServer bool) string {
	t.Helper()
	from, to := PluginDir(), filepath.Join(t.TempDir(), "plugin")
	for _, dir := range []string{"hooks", ".claude-plugin"} {
		musttest.Do(t, os.MkdirAll(filepath.Join(to, dir), 0o700))
	}
	for _, name := range []string{"bin", "libexec", "engine", "commands", "agents"} {
		if _, err := os.Stat(filepath.Join(from, name)); err != nil {
			continue
		}
		musttest.Do(t, os.Symlink(filepath.Join(from, name), filepath.Join(to, name)))
	}
	files := []string{"hooks/hooks.json", "hooks/hook", "hooks/run.sh", ".claude-plugin/plugin.json", ".claude-plugin/icon.png"}
	if withServer {
		files = append(files, ".mcp.json")
	}
	for _, name := range files {
		content := musttest.Get(os.ReadFile(filepath.Join(from, name)))(t)
		if name == "hooks/hooks.json" {
			content = changeHooks(t, content, change)
		}
		musttest.Do(t, os.WriteFile(filepath.Join(to, name), content, 0o700))
	}
	return to
}

func changeHooks(t *testing.T, content []byte, change func(map[string]any)) []byte {
	t.Helper()
	var file struct {
		Hooks map[string]any `json:"hooks"`
	}
	musttest.Do(t, json.Unmarshal(content, &file))
	change(file.Hooks)
	return must(json.Marshal(file))
}

// registeredHooks returns the number of plugin hooks that the client reports as loaded.
func registeredHooks(t *testing.T, run Result) int {
	t.Helper()
	debug := musttest.Get(os.ReadFile(run.DebugLog))(t)
	match := regexp.MustCompile(`Registered (\d+) hooks from \d+ plugins`).FindSubmatch(debug)
	if match == nil {
		t.Fatal("the debug log does not say how many hooks were registered")
	}
	return must(strconv.Atoi(string(match[1])))
}

// pluginHooks is how many hooks the plugin has.
func pluginHooks(t *testing.T) int {
	t.Helper()
	content := musttest.Get(os.ReadFile(filepath.Join(PluginDir(), "hooks", "hooks.json")))(t)
	n := 0
	changeHooks(t, content, func(hooks map[string]any) {
		for _, matchers := range hooks {
			for _, matcher := range matchers.([]any) {
				n += len(matcher.(map[string]any)["hooks"].([]any))
			}
		}
	})
	return n
}

// TestOlderClientLoadsAllHooks guards against an event, a field or a matcher that only newer clients support: an older
// one drops the whole plugin, without a visible message.
func TestOlderClientLoadsAllHooks(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.Binary = must(OlderClientBinary())
	u.Write("Makefile", "deploy:\n\t@echo 'quota used up' >&2; exit 2\n")
	api.Script("work",
		Call("Write", map[string]any{"file_path": filepath.Join(u.Project, "notes.md"), "content": "# Notes\n"}),
		Call("Bash", map[string]any{"command": "make deploy", "description": "Deploy"}),
		Call("Agent", map[string]any{"description": "Look", "prompt": "SCRIPT:sub", "subagent_type": "general-purpose", "run_in_background": false}),
		Say("That is all."),
	)
	api.Script("sub", Say("There is nothing."))
	first := u.Run(t.Context(), remembered+" SCRIPT:work", "--allowedTools", "Bash,Write,Agent")
	requireGoodRun(t, first, "SessionStart:startup", "UserPromptSubmit", "PreToolUse:Write", "PostToolUse:Write",
		"PreToolUse:Bash", "PostToolUseFailure:Bash", "SubagentStart:general-purpose", "SubagentStop", "Stop", "SessionEnd:other")
	if got, want := registeredHooks(t, first), pluginHooks(t); got != want || want == 0 {
		t.Errorf("the older client registered %d hooks, want all %d", got, want)
	}
	second := u.Run(t.Context(), "Where were we?")
	requireGoodRun(t, second, "SessionStart:startup", "UserPromptSubmit", "Stop", "SessionEnd:other")
	requireRecalled(t, lastRequest(t, api, "Where were we?"), map[string]string{
		"what the user said": fact, "what failed": "quota used up", "what was written": "notes.md",
	})
	record := u.stored(t, first.SessionID)
	if len(record.Prompts) != 1 || len(sessionEvents(record, memory.EventCommandFailed)) != 1 || len(sessionEvents(record, memory.EventFileChanged)) != 1 {
		t.Errorf("stored are %d prompts, the failures %q and the edits %q", len(record.Prompts),
			sessionEvents(record, memory.EventCommandFailed), sessionEvents(record, memory.EventFileChanged))
	}

	// That this test can fail: one event that the older client does not know costs it all hooks.
	u.Plugin = copyPlugin(t, func(hooks map[string]any) { hooks["NoSuchEvent"] = hooks["Stop"] }, false)
	if broken := u.Run(t.Context(), "And now?"); registeredHooks(t, broken) != 0 || len(broken.Hooks) != 0 {
		t.Errorf("with an unknown event the older client registered %d hooks and ran %q", registeredHooks(t, broken), broken.HookNames())
	}
	u.Plugin = PluginDir()
}
