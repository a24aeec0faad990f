//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// Claude Code's own memory of a project is given to Codex, and to a subagent, but not to Claude Code, which loads it;
// the fact of a deleted file is deleted with it.
func TestTheClientsOwnMemoryReachesOtherClients(t *testing.T) {
	t.Parallel()
	musttest.Do(t, installCodex())
	u, api := newUser(t)
	u.Env = append(u.Env, "CLAUDE_CODE_DISABLE_AUTO_MEMORY=") // it is on, as for most users
	responses := NewFakeResponses(t)
	codex := NewCodex(u, responses)
	codex.Memory(t.Context(), "setup", "codex", "on")
	codex.Hooks(t.Context(), true)

	const index, kept = "the staging port", "Integration tests never mock the payment gateway, it lies about refunds."
	folder := filepath.Join(u.Config, filepath.Dir(importer.MemoryFile(u.Project)))
	musttest.Do(t, os.MkdirAll(folder, 0o700))
	topic := filepath.Join(folder, "no_mocks.md")
	for file, text := range map[string]string{
		topic:                              "---\nname: no-mocks\ndescription: Never mock the payment gateway\nmetadata:\n  node_type: memory\n  type: feedback\n---\n\n" + kept + "\n",
		filepath.Join(folder, "MEMORY.md"): "# Memory\n\n- [No mocks](no_mocks.md) — in tests of the gateway\n- Ask Carol about " + index + ".\n",
	} {
		musttest.Do(t, os.WriteFile(file, []byte(text), 0o600))
	}
	facts := func() (active []string) {
		var all []memory.Memory
		u.memory(t, &all, "list")
		for _, m := range all {
			if m.HasTag(memory.TagAutoMemory) && m.Status == memory.StatusActive {
				active = append(active, m.Content)
			}
		}
		return active
	}
	requireGoodRun(t, u.Run(t.Context(), "Hello."), "SessionStart:startup", "SessionEnd:other")
	await(t, time.Minute, "the client's memory to be imported", func() bool { return len(facts()) == 2 })

	const prompt = "How do integration tests treat the payment gateway?"
	codex.Exec(t.Context(), prompt)
	given := strings.Join(responses.RequestsWith(prompt)[0].MemoryBlocks(), "\n")
	if strings.Count(given, kept) != 1 || !strings.Contains(given, index) {
		t.Errorf("Codex is given:\n%s", given)
	}

	api.Script("main", Call("Agent", map[string]any{"description": "Look", "prompt": "Write integration tests of the payment gateway. SCRIPT:sub", "subagent_type": "general-purpose", "run_in_background": false}), Say("Done."))
	api.Script("sub", Say("They are written."))
	const ask = prompt + " Ask somebody. SCRIPT:main"
	requireGoodRun(t, u.Run(t.Context(), ask, "--allowedTools", "Agent"), "SessionStart:startup", "SessionEnd:other")
	request := lastRequest(t, api, ask)
	if !strings.Contains(request.Text(), index) {
		t.Error("Claude Code has not loaded its own memory")
	}
	if given := strings.Join(request.MemoryBlocks(), "\n"); strings.Contains(given, "refunds") || strings.Contains(given, index) {
		t.Errorf("Claude Code is given what it loads:\n%s", given)
	}
	if given := strings.Join(lastRequest(t, api, "SCRIPT:sub").Injected("SubagentStart"), "\n"); !strings.Contains(given, kept) {
		t.Errorf("the subagent, which loads no fact, is given:\n%s", given)
	}

	musttest.Do(t, os.Remove(topic))
	requireGoodRun(t, u.Run(t.Context(), "Bye."), "SessionStart:startup", "SessionEnd:other")
	await(t, time.Minute, "the fact to be archived", func() bool { return !strings.Contains(strings.Join(facts(), "\n"), kept) })
}
