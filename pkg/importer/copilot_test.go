package importer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// copilotSessions are transcripts of the real Copilot CLI 1.0.102.
var copilotSessions = filepath.Join("..", "..", "testdata", "copilot", "session-state")

func TestCopilotsTranscriptsMakeTheEventsThatHooksWouldHaveMade(t *testing.T) {
	want := map[string][]string{
		"ab7724c1-4fff-46f5-92ed-8119e7d48bee": {
			"session_started transcript",
			"prompt Remember: the staging database listens on port 6543. SCRIPT:work",
			"command_failed make deploy Exit code 2 quota of the staging cluster is used up make: *** [Makefile:2: deploy] Error 2",
			"file_changed rollout.sh replicas=3",
			"file_changed runbook.md # How to deploy Ask Ann first.",
			"command_succeeded make test",
			"tool_used Makefile",
			"turn_ended The script is changed; the deployment failed.",
			"prompt Where were we?",
			"turn_ended The script is changed; the deployment failed.",
			"session_ended",
		},
		"0dd29c96-25db-44d8-b211-b9f04ecd6208": {
			"session_started transcript",
			"prompt Ask an agent: SCRIPT:agent",
			"command_succeeded make lint", // by the subagent
			"subagent_reported exploreFind out who calls deploy() SCRIPT:find deploy() is called by main.go alone.",
			"turn_ended The agent said so.",
			"session_ended",
		},
		"c048e405-e118-4ea8-b33f-f59b46ec9875": { // an edit that failed
			"session_started transcript",
			"prompt Try: SCRIPT:bad",
			"turn_ended Fine.",
			"session_ended",
		},
	}
	if diff := cmp.Diff(want, bySession(t, copilotSessions)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestNothingIsLostOfCopilotsTranscripts counts lines by pieces of their text.
func TestNothingIsLostOfCopilotsTranscripts(t *testing.T) {
	want := map[memory.EventKind]int{}
	for _, one := range transcripts(t, copilotSessions) {
		text, err := os.ReadFile(one.File)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			has := func(piece string) bool { return strings.Contains(line, piece) }
			switch {
			case has(`"type":"user.message"`) && !has(`"agentId"`):
				want[memory.EventPrompt]++
			case has(`"type":"tool.execution_complete"`) && has(`"exitCode":0`):
				want[memory.EventCommandSucceeded]++
			case has(`"type":"tool.execution_complete"`) && has(`"exitCode":`):
				want[memory.EventCommandFailed]++
			case has(`"type":"tool.execution_complete"`) && (has(" updated with changes") || has("Created file ")):
				want[memory.EventFileChanged]++
			case has(`"type":"subagent.completed"`):
				want[memory.EventSubagentReported]++
			}
		}
	}
	got := map[memory.EventKind]int{}
	events, _ := eventsOf(t, copilotSessions)
	for _, e := range events {
		if _, counted := want[e.Kind]; counted {
			got[e.Kind]++
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) != 5 {
		t.Errorf("events by kind (-want +got):\n%s", diff)
	}
}
