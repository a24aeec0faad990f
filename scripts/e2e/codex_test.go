//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestCodexAndClaudeCodeShareOneMemory is the promise of docs/clients.md: statements, failures and changes in one
// client reach the model in the next session of the other.
func TestCodexAndClaudeCodeShareOneMemory(t *testing.T) {
	t.Parallel()
	requirePlugin(t)
	musttest.Do(t, installCodex())
	responses, messages := NewFakeResponses(t), NewFakeAPI(t)
	u := NewUser(t, messages)
	codex := NewCodex(u, responses)
	u.Write("Makefile", "deploy:\n\t@echo 'quota of the staging cluster is used up' >&2; exit 2\ntest:\n\t@echo 'all 12 checks passed'\n")
	u.Write("rollout.sh", "#!/bin/sh\nreplicas=1\n")

	// Before the user trusts them, Codex runs no hook, and doctor reports that.
	before := filesOf(t, codex.Home)
	if said := codex.Memory(t.Context(), "setup", "codex", "on"); !strings.Contains(said, "Codex is connected") {
		t.Errorf("connecting said %q", said)
	}
	report := codex.Exec(t.Context(), "Remember: this is said to nobody.")
	if strings.Contains(report, "hook:") {
		t.Errorf("Codex ran hooks that nobody trusts:\n%s", report)
	}
	if said := codex.Memory(t.Context(), "doctor"); !strings.Contains(said, "11 of 11 hooks are not trusted") {
		t.Errorf("memory doctor says %q", said)
	}
	if hooks := codex.Hooks(t.Context(), true); len(hooks) != 11 {
		t.Errorf("Codex sees %d hooks: %+v", len(hooks), hooks)
	}
	for _, hook := range codex.Hooks(t.Context(), false) {
		musttest.Same(t, "trusted", hook.TrustStatus, "hook %s is", hook.Key)
	}
	if said := codex.Memory(t.Context(), "doctor"); strings.Contains(said, "not trusted") {
		t.Errorf("memory doctor says %q", said)
	}

	// From Codex to Claude Code.
	responses.Script("work",
		Step{Content: []Block{Text("I look at it."), ToolUse("exec_command", map[string]any{"cmd": "make deploy"})}},
		Call("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: rollout.sh\n@@\n-replicas=1\n+replicas=3\n*** Add File: runbook.md\n+# How to deploy\n*** End Patch\n"}),
		Call("exec_command", map[string]any{"cmd": "make test"}),
		Call("mcp__surrealdb_memory.store_memory", map[string]any{"content": "The rollout takes ten minutes.", "kind": "note"}),
		Call("multi_agent_v1.spawn_agent", map[string]any{"message": "Remember: the subagent's port is 9999. SCRIPT:find", "agent_type": "explorer"}),
		Say("The script is changed; the deployment failed."),
	)
	responses.Script("find", Say("deploy() is called by main.go alone."))
	report = codex.Exec(t.Context(), "Remember: the staging database listens on port 6543. SCRIPT:work")
	for event, want := range map[string]int{"SessionStart": 1, "UserPromptSubmit": 1, "PreToolUse": 4, "PostToolUse": 7, "Stop": 1} {
		if ran, failed := ranHooks(report, event); ran < want || failed { // the subagent's end may wake the session for one more
			t.Errorf("hooks of %s ran %d times, want %d; failed: %v", event, ran, want, failed)
		}
	}
	const question = "Where were we?"
	requireGoodRun(t, u.Run(t.Context(), question), "SessionStart:startup", "UserPromptSubmit")
	requireRecalled(t, messages.RequestsWith(question)[0], map[string]string{
		"what the user said": "6543",
		"what failed":        "quota of the staging cluster is used up",
		"what was edited":    "rollout.sh",
		"what was written":   "runbook.md",
		"what was stored":    "takes ten minutes",
	})

	if told := strings.Join(messages.RequestsWith(question)[0].MemoryBlocks(), "\n"); strings.Contains(told, "9999") {
		t.Errorf("the task that the assistant gave a subagent passes for the user's words:\n%s", told)
	}

	// And from Claude Code to Codex.
	requireGoodRun(t, u.Run(t.Context(), "Remember: releases are cut on Tuesdays only."), "UserPromptSubmit")
	const release = "Which day is a release?"
	codex.Exec(t.Context(), release)
	requests := responses.RequestsWith(release)
	if len(requests) == 0 {
		t.Fatal("Codex sent its prompt to no model")
	}
	told := strings.Join(requests[0].MemoryBlocks(), "\n")
	for what, fact := range map[string]string{"what was said to Claude Code": "Tuesdays", "what was said to Codex": "6543"} {
		musttest.Same(t, 1, strings.Count(told, fact), "how often %s (%q) reached Codex's model in memory blocks:\n%s", what, fact, told)
	}
	if strings.Contains(told, "said to nobody") {
		t.Errorf("what no hook saw was told:\n%s", told)
	}

	// Sessions without hooks are in Codex's own transcripts.
	said := codex.Memory(t.Context(), "import", "transcripts", "--codex")
	if !strings.Contains(said, "1 prompt") || !strings.Contains(said, "2 sessions skipped, because hooks captured them") {
		t.Errorf("the import said %q", said)
	}

	codex.Memory(t.Context(), "setup", "codex", "off")
	for name, content := range filesOf(t, codex.Home) {
		own, _, _ := strings.Cut(content, "\n[hooks.state") // Codex's records of the user's trust stay
		if (name == "config.toml" || name == "hooks.json") && own != before[name] {
			t.Errorf("%s is not as it was before:\n%s", name, content)
		}
	}
	u.StopDaemon()
	requireNowhere(t, u.MemoryHome, DummyKey)
}

// filesOf are the files right in a directory, with their content.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries := musttest.Get(os.ReadDir(dir))(t)
	files := map[string]string{}
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		content := musttest.Get(os.ReadFile(filepath.Join(dir, entry.Name())))(t)
		files[entry.Name()] = string(content)
	}
	return files
}

func installCodex() error {
	return install(codexClient, func() error {
		_, err := CodexBinary()
		return err
	})
}
