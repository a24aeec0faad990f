//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// A correction in plain words, without a request to store it, reaches the model in the
// next session: at the start, or with a matching prompt if the start has no memories.
// Sessions end with the model's own words.
func TestACorrectionReachesTheNextSession(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	api.Script("add",
		Call("Write", map[string]any{"file_path": filepath.Join(u.Project, "session.md"), "content": "# session\n"}),
		Say("I added the session commands back."),
	)
	api.Script("answer", Say("Understood."))
	const (
		corrected = "no, we removed the session commands on purpose and must not bring them back"
		line      = "] "
		near      = "Why are the session commands missing from the CLI?"
		far       = "Write a haiku about autumn leaves."
	)
	first := u.Chat(t.Context(), []string{"List the commands of the CLI. SCRIPT:add", corrected + "\nSCRIPT:answer"}, "--allowedTools", "Write")
	requireGoodRun(t, first, "UserPromptSubmit", "Stop", "SessionEnd:other")
	kept := seen(u.stored(t, first.SessionID), memory.KindNote)
	if diff := cmp.Diff([]string{corrected}, kept); diff != "" {
		t.Fatalf("kept (-want +got):\n%s", diff)
	}

	for _, test := range []struct {
		prompt, budget, hook string
		told                 int
	}{
		{near, "2000", "SessionStart", 1},
		{far, "0", "UserPromptSubmit", 0},
	} {
		u.Env = []string{"MEMORY_HOOKS_SESSION_START_TOKEN_BUDGET=" + test.budget}
		run := u.Run(t.Context(), test.prompt+" SCRIPT:answer")
		requireGoodRun(t, run, "UserPromptSubmit", "Stop", "SessionEnd:other")
		if run.Answer != "Understood." || stops(run) != 1 {
			t.Errorf("%q: the client printed %q after %d ends of the turn", test.prompt, run.Answer, stops(run))
		}
		request := lastRequest(t, api, test.prompt)
		var told []string
		for _, block := range request.Injected(test.hook) {
			for _, l := range strings.Split(block, "\n") {
				if strings.Contains(l, line) && strings.HasSuffix(l, corrected) {
					told = append(told, l)
				}
			}
		}
		musttest.Same(t, test.told, len(told), "%q: how often %s told of the correction: %q", test.prompt, test.hook, request.MemoryBlocks())
	}
}

// stops is how often the main daemon ended its turn.
func stops(run Result) int {
	n := 0
	for _, hook := range run.Hooks {
		if hook.Event == "Stop" {
			n++
		}
	}
	return n
}
