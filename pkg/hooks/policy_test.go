package hooks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// The model is asked as the setting has it, and never again in the turn that the
// question made.
func TestStopAsksTheModelAsTheSettingHasIt(t *testing.T) {
	const nobody, no, yes = "nobody", "no", "yes"
	for _, c := range []struct {
		ask, agent string
		active     bool
		asks       bool // the agent
		blocks     bool
	}{
		{"auto", yes, false, true, true},
		{"auto", no, false, true, false},
		{"auto", nobody, false, false, false},
		{"auto", yes, true, false, false},
		{"never", yes, false, false, false},
		{"never", yes, true, false, false},
		{"always", no, false, false, true},
		{"always", nobody, false, false, true},
		{"always", yes, true, false, false},
		{"perhaps", yes, false, false, false}, // unusable: the default holds, which is never
	} {
		name := c.ask + " agent answers " + c.agent
		if c.active {
			name += " in the turn of the question"
		}
		t.Run(name, func(t *testing.T) {
			w := newWorld(t).with("MEMORY_HOOKS_STOP_ASK", c.ask)
			var a *agent
			if c.agent != nobody {
				a = startAgent(t, w, map[string]string{yes: injected, no: ""}[c.agent])
			}
			out := runInProcess(t, w, toJSON(t, at(hookio.Stop, fields{"stop_hook_active": c.active, "last_assistant_message": "Done."})))
			if blocks := strings.Contains(out.Stdout, `"decision":"block"`); blocks != c.blocks || strings.Contains(out.Stdout, "additionalContext") {
				t.Errorf("wrote %q", out.Stdout)
			}
			if c.blocks && !strings.Contains(out.Stdout, "store_memory") {
				t.Errorf("the question does not name the tool: %q", out.Stdout)
			}
			if a == nil {
				return
			}
			asks := slices.ContainsFunc(a.requests(t), func(c call) bool { return c.Method == agentapi.MethodShouldAsk.Name() })
			if asks != c.asks {
				t.Errorf("the agent was asked: %v", asks)
			}
		})
	}
}

// If a program reads the model's last answer, the question would replace that answer.
func TestStopAsksNobodyWhereAProgramListens(t *testing.T) {
	for entrypoint, blocks := range map[string]bool{"": true, "cli": true, "claude-vscode": true, "sdk-cli": false, "sdk-ts": false, "sdk-py": false} {
		for _, ask := range []string{"auto", "always"} {
			w := newWorld(t).with("MEMORY_HOOKS_STOP_ASK", ask).with("CLAUDE_CODE_ENTRYPOINT", entrypoint)
			startAgent(t, w, injected)
			out := runInProcess(t, w, toJSON(t, at(hookio.Stop, fields{"last_assistant_message": "Done."})))
			if got := strings.Contains(out.Stdout, `"decision":"block"`); got != blocks {
				t.Errorf("asked by %q of %q: %v, want %v", ask, entrypoint, got, blocks)
			}
		}
	}
}

func TestAnIdleTeammateHasMaintenanceRun(t *testing.T) {
	w := newWorld(t)
	a := startAgent(t, w, "")
	if out := runInProcess(t, w, toJSON(t, madeInputs["made-teammate-idle"])); out.Exit != 0 || out.Stdout != "" || len(out.Stderr) > 0 {
		t.Errorf("exit %d, wrote %q, on stderr %q", out.Exit, out.Stdout, out.Stderr)
	}
	if requests := a.requests(t); len(requests) != 1 || requests[0].Method != agentapi.MethodIdle.Name() {
		t.Errorf("the agent got %+v", requests)
	}
	if onlyEvent(t, w) != nil {
		t.Error("an event was spooled")
	}
}

// The purpose of a command decides whether its success is stored, unless it failed before: its
// fix is worth storing, whatever the command.
func TestASuccessAfterAFailureIsKept(t *testing.T) {
	const serve = "bin/serve out"
	ok, failed := bash(serve, "a"), bashFailure(serve, "Exit code 2\nno database", false)
	elsewhere := bash(serve, "a")
	elsewhere["session_id"] = "00000000-0000-4000-8000-0000000000bb"
	background := toolUse("Bash", fields{"command": serve, "run_in_background": true}, fields{"backgroundTaskId": "b1"})
	interrupted := toolUse("Bash", fields{"command": serve}, fields{"interrupted": true})
	const succeeded, commandFailed, used = "command_succeeded", "command_failed", "tool_used"
	for name, c := range map[string]struct {
		inputs []fields
		want   []string
	}{
		"without failure":                {[]fields{ok}, nil},
		"after failure":                  {[]fields{failed, ok}, []string{commandFailed, succeeded}},
		"once":                           {[]fields{failed, ok, ok}, []string{commandFailed, succeeded}},
		"after two failures":             {[]fields{failed, failed, ok, ok}, []string{commandFailed, commandFailed, succeeded}},
		"failed again":                   {[]fields{failed, ok, failed, ok}, []string{commandFailed, succeeded, commandFailed, succeeded}},
		"a possible fix":                 {[]fields{failed, bash("./initdb.sh", "a"), ok, bash("./initdb.sh", "a")}, []string{commandFailed, succeeded, succeeded}},
		"commands that only look around": {[]fields{failed, bash("ls -la in", "a"), bashFailure("ls x", "Exit code 2", false), bashFailure("pgrep -f x", "Exit code 1", false)}, []string{commandFailed}},
		"an exit code of another":        {[]fields{failed, bash(serve+" | tail -3", "a"), bash(serve+" || true", "a"), ok, ok}, []string{commandFailed, succeeded, succeeded, succeeded}},
		"ended by hand":                  {[]fields{bashFailure(serve, "Exit code 130", false), bashFailure("timeout 5 "+serve, "Exit code 124", false), ok}, nil},
		"with a variable":                {[]fields{failed, bash("A=1 "+serve, "a"), bash("bin/other", "a")}, []string{commandFailed, succeeded}},
		"refused":                        {[]fields{bashFailure(serve, "Permission to use Bash with command bin/serve has been denied.", false), ok}, nil},
		"from another directory":         {[]fields{failed, bash("cd /elsewhere && "+serve, "a")}, []string{commandFailed, succeeded}},
		"in another session":             {[]fields{failed, elsewhere}, []string{commandFailed}},
		"started in background":          {[]fields{failed, background, ok}, []string{commandFailed, used, succeeded}},
		"interrupted":                    {[]fields{failed, interrupted, ok}, []string{commandFailed, used, succeeded}},
		"the user interrupted":           {[]fields{bashFailure(serve, "killed", true), ok}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			startAgent(t, w, "")
			var got []string
			for i, input := range c.inputs {
				before := kindsOf(t, w)
				if out := runInProcess(t, w, toJSON(t, input)); len(out.Log) > 0 {
					t.Fatalf("input %d: %q", i, out.Log)
				}
				for kind, n := range kindsOf(t, w) {
					if n > before[kind] {
						got = append(got, kind)
					}
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// kindsOf counts the events that were spooled.
func kindsOf(t *testing.T, w *world) map[string]int {
	t.Helper()
	kinds := map[string]int{}
	for _, e := range w.spooled(t) {
		kinds[e["kind"].(string)]++
	}
	return kinds
}
