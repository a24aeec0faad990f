//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestGeminiAndClaudeCodeShareOneMemory is the promise of docs/clients.md for Gemini CLI.
func TestGeminiAndClaudeCodeShareOneMemory(t *testing.T) {
	requirePlugin(t)
	if err := installGemini(); err != nil {
		t.Fatal(err)
	}
	model, messages := NewFakeGemini(t), NewFakeAPI(t)
	u := NewUser(t, messages)
	gemini := NewGemini(u, model)
	u.Write("Makefile", "deploy:\n\t@echo 'quota of the staging cluster is used up' >&2; exit 2\ntest:\n\t@echo 'all 12 checks passed'\n")
	u.Write("rollout.sh", "#!/bin/sh\nreplicas=1\n")
	before := filesOf(t, gemini.dir)
	if said := gemini.Memory(t.Context(), "clients", "connect", "gemini"); !strings.Contains(said, "Gemini CLI is connected") {
		t.Errorf("connecting said %q", said)
	}
	if said := gemini.Memory(t.Context(), "clients"); !strings.Contains(said, "gemini  Gemini CLI  connected") {
		t.Errorf("memory clients says %q", said)
	}

	model.Script("work",
		Step{Content: []Block{Text("I look at it."), ToolUse("run_shell_command", map[string]any{"command": "make deploy"})}},
		Call("replace", map[string]any{"file_path": filepath.Join(u.Project, "rollout.sh"), "old_string": "replicas=1", "new_string": "replicas=3", "instruction": "more"}),
		Call("write_file", map[string]any{"file_path": filepath.Join(u.Project, "runbook.md"), "content": "# How to deploy\n"}),
		Call("run_shell_command", map[string]any{"command": "make test"}),
		Call("mcp_surrealdb-memory_store_memory", map[string]any{"content": "The rollout takes ten minutes.", "kind": "note"}),
		Call("invoke_agent", map[string]any{"agent_name": "generalist", "prompt": "Remember: the subagent's port is 9999. SCRIPT:find"}),
		Say("The script is changed; the deployment failed."),
	)
	model.Script("find", Call("complete_task", map[string]any{"result": map[string]any{"response": "deploy() is called by main.go alone."}}))
	gemini.Exec(t.Context(), "Remember: the staging database listens on port 6543. SCRIPT:work")
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

	// And from Claude Code to Gemini CLI, also about a file that it reads.
	requireGoodRun(t, u.Run(t.Context(), "Remember: releases are cut on Tuesdays only."), "UserPromptSubmit")
	const release = "Which day is a release?"
	gemini.Exec(t.Context(), release)
	requireToldOnce(t, gemini.Told(release), "Tuesdays", "6543")

	said := gemini.Memory(t.Context(), "import", "transcripts", "--client", "gemini")
	if !strings.Contains(said, "2 sessions left to what hooks captured") {
		t.Errorf("the import said %q", said)
	}
	gemini.Memory(t.Context(), "clients", "disconnect", "gemini")
	if after := filesOf(t, gemini.dir); after["settings.json"] != before["settings.json"] {
		t.Errorf("settings.json is not as it was before:\n%s", after["settings.json"])
	}
	u.StopAgent()
	requireNowhere(t, u.MemoryHome, DummyKey)
}

// requireToldOnce wants each fact once in what a model was told.
func requireToldOnce(t *testing.T, blocks []string, facts ...string) {
	t.Helper()
	told := strings.Join(blocks, "\n")
	for _, fact := range facts {
		if n := strings.Count(told, fact); n != 1 {
			t.Errorf("%q reached the model %d times in memory blocks, want once:\n%s", fact, n, told)
		}
	}
}

func installGemini() error {
	return install(geminiClient, func() error {
		_, err := GeminiProgram()
		return err
	})
}
