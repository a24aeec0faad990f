//go:build e2e

package e2e

import (
	"slices"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestSubagentIsBriefedAndReports(t *testing.T) {
	t.Parallel()
	const report = "The ledger runs with three replicas behind the gateway."
	for _, test := range []struct {
		name  string
		input map[string]any
		turns []string // the main daemon's text at the end of each turn
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
			// With a second memory: an only memory is injected for few questions.
			u.Run(t.Context(), remembered)
			u.Run(t.Context(), "Remember: all services are deployed on Tuesdays.")

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
			musttest.Same(t, 1, count(briefed.Injected("SubagentStart"), fact), "how often the subagent was told the fact: %q", briefed.MemoryBlocks())
			requests := api.RequestsWith("SCRIPT:main")
			last := requests[len(requests)-1]
			musttest.Same(t, nil, last.Injected("SubagentStart"), "the main agent was given the subagent's briefing")

			record := u.stored(t, run.SessionID)
			found := slices.DeleteFunc(sessionEvents(record, memory.EventSubagentReported), func(text string) bool { return text != report })
			if len(slices.Compact(found)) != 1 {
				t.Errorf("stored reports are %q, want the one of the subagent", found)
			}
			// The client's own prompt when a subagent in the background ends is no prompt of the user.
			musttest.Same(t, []string{"1 Ask somebody. SCRIPT:main"}, texts(record.Prompts), "the prompts")
			musttest.Same(t, test.turns, sessionEvents(record, memory.EventTurnEnded), "the last words")
			requireNoRecallStored(t, record)
		})
	}
}
