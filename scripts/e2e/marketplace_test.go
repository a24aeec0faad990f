//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// pluginID is the plugin's in the marketplace that the repository is.
const pluginID = "surrealdb-memory@surrealdb-memory"

// uninstallLimit is how long daemon and engine may go on without their plugin.
const uninstallLimit = time.Minute

// initLine is the client's description of itself at the start of a session.
type initLine struct {
	Subtype       string   `json:"subtype"`
	SlashCommands []string `json:"slash_commands"`
	Agents        []string `json:"agents"`
	Servers       []struct {
		Name   string `json:"name"`
		Status string `json:"status"`
	} `json:"mcp_servers"`
}

// installed runs a session of a client without a plugin directory on its command line.
func installed(u *User, prompt string) Result {
	u.t.Helper()
	debugLog := u.newDebugLog()
	run := u.Claude(u.t.Context(), "-p", prompt, "--output-format", "stream-json", "--verbose", "--include-hook-events", "--debug-file", debugLog)
	run.DebugLog = debugLog
	musttest.Do(u.t, run.parse())
	return run
}

func requireDone(t *testing.T, run Result) []byte {
	t.Helper()
	output, err := os.ReadFile(run.Stdout)
	if err != nil || run.ExitCode != 0 {
		t.Fatalf("the client exited with %d: %s (%v)", run.ExitCode, output, err)
	}
	return output
}

// TestInstalledFromTheLocalMarketplace is the way of a user with a checkout: the repository is a marketplace, and after
// memory setup, by the real client's own commands, hooks, server, commands and daemon are all there; after the uninstall none is.
func TestInstalledFromTheLocalMarketplace(t *testing.T) {
	t.Parallel()
	requirePlugin(t)
	api := NewFakeAPI(t)
	u := NewUser(t, api)
	repository := filepath.Dir(PluginDir())
	requireDone(t, u.Claude(t.Context(), "plugin", "validate", repository, "--strict"))
	client := t.TempDir() // for the PATH
	musttest.Do(t, os.Symlink(u.Binary, filepath.Join(client, "claude")))
	u.Env = append(u.Env, "PATH="+client+":"+os.Getenv("PATH"))
	for range 2 { // the second time the plugin is there
		u.memory(t, nil, "setup", "--plugin", "yes", "--past", "no", "--distill", "no", "--codex", "no")
	}
	u.memory(t, nil, "daemon", "stop") // it is the checkout's, which an uninstall leaves alone

	const decision = "Releases are cut from the branch stable"
	api.Script("store", Call(tool("store_memory"), map[string]any{"content": decision, "kind": "decision"}), Say("Stored."))
	first := installed(u, "Keep it. SCRIPT:store")
	requireGoodRun(t, first, "SessionStart:startup", "UserPromptSubmit", "Stop", "SessionEnd:other")
	musttest.Same(t, pluginHooks(t), registeredHooks(t, first), "how many hooks are registered (-plugin +client)")
	if results := toolResults(t, lastRequest(t, api, "Keep it.")); len(results) != 1 || !strings.Contains(results[0], idOf(u, decision)) {
		t.Errorf("store_memory answered %q", results)
	}
	requireAll(t, first)

	second := installed(u, "Where are releases cut from?")
	requireGoodRun(t, second, "SessionStart:startup")
	requireRecalled(t, api.RequestsWith("Where are releases cut from?")[0], map[string]string{"the decision": decision})
	requireEnabled(t, u)

	pids := u.daemonProcesses()
	requireDone(t, u.Claude(t.Context(), "plugin", "uninstall", pluginID))
	third := installed(u, "And now?")
	if names := third.HookNames(); third.ExitCode != 0 || len(names) > 0 {
		t.Errorf("after the uninstall the client exited with %d and ran the hooks %q", third.ExitCode, names)
	}
	await(t, uninstallLimit, "daemon and engine to end", func() bool { return !slices.ContainsFunc(pids, alive) })
	u.stopped = true
	requireKept(t, u)
}

// requireKept requires that an uninstall keeps the memories: the user may install the plugin again.
func requireKept(t *testing.T, u *User) {
	t.Helper()
	for _, name := range []string{"data", "journal"} {
		if files, err := os.ReadDir(filepath.Join(u.MemoryHome, name)); err != nil || len(files) == 0 {
			t.Errorf("after the uninstall %s holds %d files, %v", name, len(files), err)
		}
	}
}

// requireAll requires that the client offers everything in the plugin's folders.
func requireAll(t *testing.T, run Result) {
	t.Helper()
	var start initLine
	for _, raw := range run.Lines {
		var line initLine
		if err := json.Unmarshal(raw, &line); err == nil && line.Subtype == "init" {
			start = line
		}
	}
	for folder, offered := range map[string][]string{"commands": start.SlashCommands, "agents": start.Agents} {
		files := must(filepath.Glob(filepath.Join(PluginDir(), folder, "*.md")))
		if len(files) == 0 {
			t.Errorf("the plugin has no %s", folder)
		}
		for _, file := range files {
			name := "surrealdb-memory:" + strings.TrimSuffix(filepath.Base(file), ".md")
			if !slices.Contains(offered, name) {
				t.Errorf("%s is not among the %s: %q", name, folder, offered)
			}
		}
	}
	for _, server := range start.Servers {
		if server.Name == "plugin:surrealdb-memory:memory" && server.Status != "failed" {
			return
		}
	}
	t.Errorf("the server is not among %+v", start.Servers)
}

// requireEnabled asks doctor, which reads the client's settings.
func requireEnabled(t *testing.T, u *User) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(PluginDir(), "bin", "memory"), "doctor", "--json")
	cmd.Dir, cmd.Env = u.Project, u.environment()
	output, err := cmd.Output()
	var findings []struct{ Check, Severity, Message string }
	if jsonErr := json.Unmarshal(output, &findings); jsonErr != nil {
		t.Fatalf("memory doctor: %v, %v: %s", err, jsonErr, output)
	}
	for _, f := range findings {
		musttest.Same(t, "ok", f.Severity, "doctor found %+v", f)
	}
}
