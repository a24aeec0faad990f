//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Whatever type a subagent is of, it is told the rules that fit its task; and a file that
// it is about to make gets those of its folder.
func TestSubagentsOfEachTypeAreTold(t *testing.T) {
	const rule, folder = "migrations are never edited after a release", "must name their ticket on the first line"
	u, api := newUser(t)
	u.Run(t.Context(), "Remember: "+rule+".\nFrom now on the files in `db/migrations/` "+folder+".")
	for _, kind := range []string{"Explore", "general-purpose"} {
		t.Run(kind, func(t *testing.T) {
			script := "of" + strings.ReplaceAll(strings.ToLower(kind), "-", "")
			task := "Find the migrations that were edited after the last release. SCRIPT:" + script
			api.Script("ask"+script,
				Call("Agent", map[string]any{"description": "Find edits", "prompt": task, "subagent_type": kind, "run_in_background": false}),
				Say("Now I know."))
			api.Script(script, Say("There are none."))
			run := u.Run(t.Context(), "Ask somebody. SCRIPT:ask"+script, "--allowedTools", "Agent")
			requireGoodRun(t, run, "PreToolUse:Agent", "SubagentStart:"+kind, "SubagentStop", "SessionEnd:other")
			if told := lastRequest(t, api, "SCRIPT:"+script).Injected("SubagentStart"); count(told, rule) != 1 {
				t.Errorf("the subagent was told %q", told)
			}
		})
	}
	u.Env = []string{"MEMORY_HOOKS_SESSION_START_TOKEN_BUDGET=0"}
	api.Script("make",
		Call("Write", map[string]any{"file_path": filepath.Join(u.Project, "db/migrations/0007_orders.sql"), "content": "-- orders\n"}),
		Call("Write", map[string]any{"file_path": filepath.Join(u.Project, "web/index.html"), "content": "<p>\n"}),
		Say("Made."))
	run := u.Run(t.Context(), "Go ahead. SCRIPT:make", "--allowedTools", "Write")
	requireGoodRun(t, run, "PreToolUse:Write", "PostToolUse:Write", "SessionEnd:other")
	if told := lastRequest(t, api, "SCRIPT:make").Injected("PreToolUse:Write"); count(told, folder) != 1 || count(told, "Before making") != 1 {
		t.Errorf("the new files were told %q", told)
	}
}

func TestSubagentIsBriefedAndReports(t *testing.T) {
	const report = "The ledger runs with three replicas behind the gateway."
	for _, test := range []struct {
		name  string
		input map[string]any
		turns []string // what the main agent says at the end of its turns
		hooks []string
	}{
		{
			"foreground",
			map[string]any{"run_in_background": false},
			[]string{"Now I know."},
			[]string{"PreToolUse:Agent", "SubagentStart:general-purpose", "PreToolUse:Bash", "SubagentStop", "PostToolUse:Agent"},
		},
		{
			"background",
			map[string]any{},
			[]string{"It is on its way.", "Now I know."},
			[]string{"PreToolUse:Agent", "SubagentStart:general-purpose", "PostToolUse:Agent", "SubagentStop"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, api := newUser(t)
			// Beside one more: what is the only memory there is, is told for few questions.
			u.Run(t.Context(), remembered+"")

			const task = "On which port does the staging database listen? SCRIPT:sub"
			input := map[string]any{"description": "Look at the ledger", "prompt": task, "subagent_type": "general-purpose"}
			for name, value := range test.input {
				input[name] = value
			}
			steps := []Step{Call("Agent", input)}
			for _, turn := range test.turns {
				steps = append(steps, Say(turn))
			}
			api.Script("main", steps...)
			api.Script("sub", Call("Bash", map[string]any{"command": "echo from-sub", "description": "Look"}), Say(report))
			run := u.Run(t.Context(), "Ask somebody. SCRIPT:main", "--allowedTools", "Bash,Agent")
			requireGoodRun(t, run, append(test.hooks, "SessionEnd:other")...)

			briefed := lastRequest(t, api, "SCRIPT:sub")
			if got := count(briefed.Injected("SubagentStart"), fact); got != 1 {
				t.Errorf("the subagent was told the fact %d times, want once: %q", got, briefed.MemoryBlocks())
			}
			requests := api.RequestsWith("SCRIPT:main")
			last := requests[len(requests)-1]
			if got := last.Injected("SubagentStart"); len(got) != 0 {
				t.Errorf("the main agent was given the subagent's briefing: %q", got)
			}

			record := u.stored(t, run.SessionID)
			found := seen(record, memory.KindDiscovery)
			if slices.Sort(found); len(slices.Compact(found)) != 1 || found[0] != report {
				t.Errorf("stored discoveries are %q, want the report", found)
			}
			// What the client submits by itself when a subagent in the background ends is nothing that a user said.
			if diff := cmp.Diff([]string{"1 Ask somebody. SCRIPT:main"}, texts(record.Prompts)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.turns, sessionEvents(record, memory.EventTurnEnded)); diff != "" {
				t.Error(diff)
			}
			requireNoRecallStored(t, record)
		})
	}
}
