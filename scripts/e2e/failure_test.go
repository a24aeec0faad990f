//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestFixIsRecalled: a command fails, is repaired and succeeds. Before it runs in a later session, the model gets the
// fix; the same happens when it fails, unless the model has it already.
func TestFixIsRecalled(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.Write("Makefile", "deploy stage:\n\t@test -f deploy.env || { echo 'deploy: no token for the staging cluster' >&2; exit 2; }\n")
	deploy := Call("Bash", map[string]any{"command": "make deploy", "description": "Deploy"})
	stage := Call("Bash", map[string]any{"command": "make stage", "description": "Stage"})
	api.Script("repair", deploy,
		Call("Write", map[string]any{"file_path": filepath.Join(u.Project, "deploy.env"), "content": "t-1\n"}),
		deploy, Say("It went out."))
	api.Script("again", deploy, Say("It failed."))
	api.Script("other", stage, Say("That failed, too."))
	run := u.Run(t.Context(), "SCRIPT:repair", "--allowedTools", "Bash,Write")
	requireGoodRun(t, run, "PreToolUse:Bash", "PostToolUseFailure:Bash", "PostToolUse:Write", "PostToolUse:Bash", "SessionEnd:other")
	record := u.stored(t, run.SessionID)
	fixes := seen(record, memory.KindFix)
	if len(fixes) != 1 || !strings.Contains(fixes[0], "no token for the staging cluster") || !strings.Contains(fixes[0], "worked after: Wrote deploy.env") {
		t.Fatalf("stored fixes are %q", fixes)
	}
	if failures := sessionEvents(record, memory.EventCommandFailed); len(failures) != 1 {
		t.Errorf("stored failures are %q, want one", failures)
	}
	for _, request := range api.Requests() {
		if request.Injected("PreToolUse:Bash") != nil || request.Injected("PostToolUseFailure:Bash") != nil {
			t.Errorf("the first session was told of its own failure: %q", request.MemoryBlocks())
		}
	}

	u.Remove("deploy.env")
	const worked = "it worked after: Wrote deploy.env"
	for _, test := range []struct {
		name, script string
		env          []string
		told, silent string // the event with an injection, and the one without
	}{
		{"before it runs", "again", nil, "PreToolUse:Bash", "PostToolUseFailure:Bash"},
		{"when it fails", "again", []string{"MEMORY_HOOKS_PRE_TOOL_USE_TOKEN_BUDGET=0"}, "PostToolUseFailure:Bash", "PreToolUse:Bash"},
		{"another command with the same error", "other", nil, "PostToolUseFailure:Bash", "PreToolUse:Bash"},
	} {
		t.Run(test.name, func(t *testing.T) {
			u.Env = test.env
			run := u.Run(t.Context(), "SCRIPT:"+test.script, "--allowedTools", "Bash")
			requireGoodRun(t, run, "PreToolUse:Bash", "PostToolUseFailure:Bash", "SessionEnd:other")
			requests := api.RequestsWith("SCRIPT:" + test.script)
			request := requests[len(requests)-1]
			musttest.Same(t, 1, count(request.Injected(test.told), worked), "how often %s told the fix: %q", test.told, request.MemoryBlocks())
			musttest.Same(t, 0, count(request.Injected(test.silent), worked), "how often %s told the fix, too", test.silent)
			record := u.stored(t, run.SessionID)
			if got := sessionEvents(record, memory.EventCommandFailed); len(got) != 1 {
				t.Errorf("stored failures are %q, want one", got)
			}
			if got := seen(record, memory.KindFix); len(got) != 0 {
				t.Errorf("a session without a fix stored %q", got)
			}
			requireNoRecallStored(t, record)
		})
	}
	var all []memory.Memory
	u.memory(t, &all, "list", "--limit", "100")
	if n := len(slices.DeleteFunc(all, func(m memory.Memory) bool { return m.Kind != memory.KindFix })); n != 1 {
		t.Errorf("%d fixes are stored, want one", n)
	}
}
