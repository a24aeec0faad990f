//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
)

// option is the option that the client asks about when the user enables the plugin.
const option = "distill"

// optionTitle is how plugin.json names the option.
func optionTitle(t *testing.T) string {
	t.Helper()
	var manifest struct {
		UserConfig map[string]struct{ Title string }
	}
	if err := json.Unmarshal(must(os.ReadFile(filepath.Join(PluginDir(), ".claude-plugin", "plugin.json"))), &manifest); err != nil {
		t.Fatal(err)
	}
	return manifest.UserConfig[option].Title
}

// mayDistil lets the client under test be the runner, as soon as the user agrees.
func (u *User) mayDistil() {
	u.Env = append(u.Env, "MEMORY_DISTILL_COMMAND="+u.Binary, "MEMORY_DISTILL_KEY="+DummyKey, "MEMORY_DISTILL_URL="+u.api.URL(), "MEMORY_DISTILL_CRON=")
}

func (u *User) isAgreed(t *testing.T) bool {
	t.Helper()
	var spent agentapi.SpendResult
	u.memory(t, &spent, "distill", "spend")
	return spent.Status.Enabled
}

// The client names the option after the install and asks for it. The user's answer reaches the running agent through
// the next session's hook. The last decision counts, and a repository cannot decide.
func TestEnablingThePluginAsks(t *testing.T) {
	t.Parallel()
	requirePlugin(t)
	api := NewFakeAPI(t)
	u := NewUser(t, api)
	u.mayDistil()
	requireDone(t, u.Claude(t.Context(), "plugin", "marketplace", "add", filepath.Dir(PluginDir())))
	if said := string(requireDone(t, u.Claude(t.Context(), "plugin", "install", pluginID))); !strings.Contains(said, "1 userConfig option not yet set") {
		t.Errorf("the install says %q", said)
	}
	if said := string(requireDone(t, u.Claude(t.Context(), "plugin", "configure", pluginID))); !strings.Contains(said, optionTitle(t)) || !strings.Contains(said, "not set") {
		t.Errorf("the client lists the options %q", said)
	}

	// Nobody has answered, and a cloned repository that answers is not heard.
	if err := os.Mkdir(filepath.Join(u.Project, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	u.Write(filepath.Join(".claude", "settings.json"), string(must(json.Marshal(map[string]any{
		"pluginConfigs": map[string]any{pluginID: map[string]any{"options": map[string]any{option: true}}},
	}))))
	first := installed(u, exportRule)
	requireGoodRun(t, first, "SessionStart:startup", "SessionEnd:other")
	u.stored(t, first.SessionID)
	if u.isAgreed(t) {
		t.Fatal("a repository has agreed for its user")
	}
	agent := u.agentProcesses()

	// The user agrees.
	requireDone(t, u.Claude(t.Context(), "plugin", "install", pluginID, "--config", option+"=true"))
	api.Distil(written())
	second := installed(u, exportRule)
	requireGoodRun(t, second, "SessionStart:startup", "SessionEnd:other")
	u.stored(t, second.SessionID)
	if !u.isAgreed(t) || agent[0] != u.agentProcesses()[0] {
		t.Errorf("the agent that ran (%v, now %v) has not taken over that the user agreed", agent, u.agentProcesses())
	}
	u.queued(t, second.SessionID, "the session to be distilled", isDone)

	// And changes their mind elsewhere: the answer in the client is older.
	u.memory(t, nil, "distill", "off")
	third := installed(u, exportRule)
	u.stored(t, third.SessionID)
	if u.isAgreed(t) {
		t.Error("an answer of before switches distillation on again")
	}
	u.requireNoRunner(t)
}
