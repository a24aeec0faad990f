//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// other is another client than Claude Code, with a fake model of its own.
type other interface {
	Exec(ctx context.Context, prompt string) error // one headless session with one prompt
	Injected(prompt string) []string               // the memory blocks before the model
	Memory(ctx context.Context, args ...string) string
}

// otherClients are those that share this memory besides Codex, which has a test of its own.
var otherClients = []struct {
	name    string
	install func() error
	// start gives a user the client, and a model that carries out work with the client's tools.
	start func(t *testing.T, u *User) other
	files []string // of its configuration, which connecting changes
}{
	{"gemini", installGemini, startGemini, []string{".gemini/settings.json"}},
	{"copilot", installCopilot, startCopilot, []string{".copilot/mcp-config.json", ".copilot/hooks/surrealdb-memory.json"}},
	{"opencode", installOpenCode, startOpenCode, []string{".config/opencode/opencode.json", ".config/opencode/plugins/surrealdb-memory.js"}},
}

// TestOtherClientsAndClaudeCodeShareOneMemory is the promise of docs/clients.md: statements, failures and changes in
// one client reach the model in the next session of the other.
func TestOtherClientsAndClaudeCodeShareOneMemory(t *testing.T) {
	t.Parallel()
	requirePlugin(t)
	for _, c := range otherClients {
		t.Run(c.name, func(t *testing.T) {
			if err := c.install(); err != nil {
				t.Fatal(err)
			}
			messages := NewFakeAPI(t)
			u := NewUser(t, messages)
			u.Write("Makefile", "deploy:\n\t@echo 'quota of the staging cluster is used up' >&2; exit 2\ntest:\n\t@echo 'all 12 checks passed'\n")
			u.Write("rollout.sh", "#!/bin/sh\nreplicas=1\n")
			client := c.start(t, u)
			before := contents(u.Home, c.files)
			if said := client.Memory(t.Context(), "setup", "clients", "connect", c.name); !strings.Contains(said, "is connected: ") {
				t.Errorf("connecting said %q", said)
			}

			// From the other client to Claude Code.
			if err := client.Exec(t.Context(), "Remember: the staging database listens on port 6543. SCRIPT:work"); err != nil {
				t.Fatal(err)
			}
			const question = "Where were we?"
			requireGoodRun(t, u.Run(t.Context(), question), "SessionStart:startup", "UserPromptSubmit")
			told := messages.RequestsWith(question)[0]
			requireRecalled(t, told, map[string]string{
				"what the user said": "6543",
				"what failed":        "quota of the staging cluster is used up",
				"what was edited":    "rollout.sh",
				"what was written":   "runbook.md",
				"what was stored":    "takes ten minutes",
			})
			if strings.Contains(strings.Join(told.MemoryBlocks(), "\n"), "9999") {
				t.Error("the task that the assistant gave a subagent passes for the user's words")
			}

			// And from Claude Code to the other client.
			requireGoodRun(t, u.Run(t.Context(), "Remember: releases are cut on Tuesdays only."), "UserPromptSubmit")
			const release = "Which day is a release?"
			if err := client.Exec(t.Context(), release); err != nil {
				t.Fatal(err)
			}
			requireOnce(t, client.Injected(release), "Tuesdays", "6543")

			if said := client.Memory(t.Context(), "import", "transcripts", "--client", c.name); !strings.Contains(said, "2 sessions left to what hooks captured") {
				t.Errorf("the import said %q", said)
			}
			if said := client.Memory(t.Context(), "setup", "clients"); !strings.Contains(said, "  connected\n") || strings.Contains(said, "in part") {
				t.Errorf("memory setup clients says %q", said)
			}
			client.Memory(t.Context(), "setup", "clients", "disconnect", c.name)
			for file, content := range contents(u.Home, c.files) {
				if content != before[file] {
					t.Errorf("%s is not as it was before:\n%s", file, content)
				}
			}
			u.StopAgent()
			requireNowhere(t, u.MemoryHome, DummyKey)
		})
	}
}

// TestARuleIsToldByTheNextSessionOfAnotherClient visits all clients of one user: each session gets the rule that the
// one before it stated, in another client.
func TestARuleIsToldByTheNextSessionOfAnotherClient(t *testing.T) {
	t.Parallel()
	requirePlugin(t)
	messages := NewFakeAPI(t)
	u := NewUser(t, messages)
	var names []string
	round := map[string]other{}
	for _, c := range otherClients {
		if err := c.install(); err != nil {
			t.Fatal(err)
		}
		names, round[c.name] = append(names, c.name), c.start(t, u)
		round[c.name].Memory(t.Context(), "setup", "clients", "connect", c.name)
	}
	if err := installCodex(); err != nil {
		t.Fatal(err)
	}
	responses := NewFakeResponses(t)
	codex := NewCodex(u, responses)
	codex.Memory(t.Context(), "setup", "clients", "connect", "codex")
	codex.Hooks(t.Context(), true)
	names, round["codex"] = append(names, "codex"), codexAsOther{codex, responses}

	requireGoodRun(t, u.Run(t.Context(), "Remember: the port of the service before gemini is 7000."), "UserPromptSubmit")
	for i, name := range append(names, names[0]) {
		question := fmt.Sprintf("Question %d: which port has the service before %s?", i, name)
		if err := round[name].Exec(t.Context(), fmt.Sprintf("%s Remember: the port of the service before %s is %d.", question, names[(i+1)%len(names)], 7001+i)); err != nil {
			t.Fatal(err)
		}
		if told := strings.Join(round[name].Injected(question), "\n"); !strings.Contains(told, fmt.Sprint(7000+i)) {
			t.Errorf("%s is not told the rule of the session before it:\n%s", name, told)
		}
	}
	const last = "Which ports do the services have?"
	requireGoodRun(t, u.Run(t.Context(), last), "UserPromptSubmit")
	told := strings.Join(messages.RequestsWith(last)[0].MemoryBlocks(), "\n")
	for port := 7000; port <= 7000+len(names); port++ {
		if !strings.Contains(told, fmt.Sprint(port)) {
			t.Errorf("Claude Code is not told port %d:\n%s", port, told)
		}
	}
}

// TestTwoClientsAtOnceInOneFolderDoNotMix runs a session of each at the same time.
func TestTwoClientsAtOnceInOneFolderDoNotMix(t *testing.T) {
	t.Parallel()
	requirePlugin(t)
	u := NewUser(t, NewFakeAPI(t))
	var ended sync.WaitGroup
	var one other
	failed := make([]error, len(otherClients))
	for i, c := range otherClients {
		if err := c.install(); err != nil {
			t.Fatal(err)
		}
		client := c.start(t, u)
		client.Memory(t.Context(), "setup", "clients", "connect", c.name)
		ended.Go(func() { failed[i] = client.Exec(t.Context(), "Remember: the word of "+c.name+" is peach. SCRIPT:work") })
		one = client
	}
	ended.Wait()
	if err := errors.Join(failed...); err != nil {
		t.Fatal(err)
	}
	var sessions []memory.Session
	if err := json.Unmarshal([]byte(one.Memory(t.Context(), "sessions", "--json")), &sessions); err != nil {
		t.Fatal(err)
	}
	sessions = slices.DeleteFunc(sessions, func(s memory.Session) bool { return strings.HasPrefix(s.ID, "mcp-") }) // the tools' own, of a day
	if len(sessions) != len(otherClients) {
		t.Errorf("there are %d sessions of %d clients: %+v", len(sessions), len(otherClients), sessions)
	}
	for _, s := range sessions {
		if s.PromptCount != 1 || s.State == memory.SessionActive {
			t.Errorf("session %s has %d prompts, want its own alone, and is %s", s.ID, s.PromptCount, s.State)
		}
	}
}

// contents are those of files below a directory; of a missing one it is empty.
func contents(dir string, files []string) map[string]string {
	all := map[string]string{}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			content = []byte("no file")
		}
		all[file] = string(content)
	}
	return all
}

// requireOnce requires each fact exactly once in the blocks of a model.
func requireOnce(t *testing.T, blocks []string, facts ...string) {
	t.Helper()
	text := strings.Join(blocks, "\n")
	for _, fact := range facts {
		if n := strings.Count(text, fact); n != 1 {
			t.Errorf("%q reached the model %d times in memory blocks, want once:\n%s", fact, n, text)
		}
	}
}

const (
	subagentsTask  = "Remember: the subagent's port is 9999. SCRIPT:find"
	storedInClient = "The rollout takes ten minutes."
	lastWords      = "The script is changed; the deployment failed."
)

func startGemini(t *testing.T, u *User) other {
	t.Helper()
	model := NewFakeGemini(t)
	model.Script("work",
		Step{Content: []Block{Text("I look at it."), ToolUse("run_shell_command", map[string]any{"command": "make deploy"})}},
		Call("replace", map[string]any{"file_path": filepath.Join(u.Project, "rollout.sh"), "old_string": "replicas=1", "new_string": "replicas=3", "instruction": "more"}),
		Call("write_file", map[string]any{"file_path": filepath.Join(u.Project, "runbook.md"), "content": "# How to deploy\n"}),
		Call("run_shell_command", map[string]any{"command": "make test"}),
		Call("mcp_surrealdb-memory_store_memory", map[string]any{"content": storedInClient, "kind": "note"}),
		Call("invoke_agent", map[string]any{"agent_name": "generalist", "prompt": subagentsTask}),
		Say(lastWords),
	)
	model.Script("find", Call("complete_task", map[string]any{"result": map[string]any{"response": "deploy() is called by main.go alone."}}))
	return NewGemini(u, model)
}

func startCopilot(t *testing.T, u *User) other {
	t.Helper()
	model := NewFakeAPI(t)
	model.Script("work",
		Step{Content: []Block{Text("I look at it."), ToolUse("bash", map[string]any{"command": "make deploy", "description": "deploy"})}},
		Call("edit", map[string]any{"path": filepath.Join(u.Project, "rollout.sh"), "old_str": "replicas=1", "new_str": "replicas=3"}),
		Call("create", map[string]any{"path": filepath.Join(u.Project, "runbook.md"), "file_text": "# How to deploy\n"}),
		Call("bash", map[string]any{"command": "make test", "description": "test"}),
		Call("surrealdb-memory-store_memory", map[string]any{"content": storedInClient, "kind": "note"}),
		Call("task", map[string]any{"agent_type": "explore", "name": "find", "description": "find callers", "prompt": subagentsTask, "mode": "sync"}),
		Say(lastWords),
	)
	model.Script("find", Say("deploy() is called by main.go alone."))
	return NewCopilot(u, model)
}

func startOpenCode(t *testing.T, u *User) other {
	t.Helper()
	model := NewFakeAPI(t)
	model.Script("work",
		Step{Content: []Block{Text("I look at it."), ToolUse("bash", map[string]any{"command": "make deploy", "description": "deploy"})}},
		Call("read", map[string]any{"filePath": filepath.Join(u.Project, "rollout.sh")}),
		Call("edit", map[string]any{"filePath": filepath.Join(u.Project, "rollout.sh"), "oldString": "replicas=1", "newString": "replicas=3"}),
		Call("write", map[string]any{"filePath": filepath.Join(u.Project, "runbook.md"), "content": "# How to deploy\n"}),
		Call("bash", map[string]any{"command": "make test", "description": "test"}),
		Call("surrealdb-memory_store_memory", map[string]any{"content": storedInClient, "kind": "note"}),
		Call("task", map[string]any{"subagent_type": "explore", "description": "find callers", "prompt": subagentsTask}),
		Say(lastWords),
	)
	model.Script("find", Say("deploy() is called by main.go alone."))
	return NewOpenCode(u, model)
}

func installGemini() error {
	return install(geminiClient, func() error {
		_, err := GeminiProgram()
		return err
	})
}

func installCopilot() error {
	return install(copilotClient, func() error {
		_, err := CopilotBinary()
		return err
	})
}

func installOpenCode() error {
	return install(openCodeClient, func() error {
		_, err := OpenCodeBinary()
		return err
	})
}
