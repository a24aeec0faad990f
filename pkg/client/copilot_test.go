package client_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

func TestCopilotsToolsAreThoseOfClaudeCode(t *testing.T) {
	requireDone(t, client.Copilot, map[string][]did{
		"SessionStart":      {{Event: "SessionStart"}},
		"UserPromptSubmit":  {{Event: "UserPromptSubmit"}},
		"Stop":              {{Event: "Stop"}},
		"SessionEnd":        {{Event: "SessionEnd"}},
		"SubagentStop":      {{Event: "SubagentStop"}},
		"PreToolUse-Bash":   {{Event: "PreToolUse", Tool: "Bash", Command: "make deploy"}},
		"PreToolUse-Read":   {{Event: "PreToolUse", Tool: "Read", File: "/home/dev/shop/Makefile"}},
		"PreToolUse-Agent":  {{Event: "PreToolUse", Tool: "Agent"}},
		"PostToolUse-Agent": nil, // SubagentStop has the report
		"PostToolUse-Bash":  {{Event: "PostToolUseFailure", Tool: "Bash", Command: "make deploy", Error: "Exit code 2\nquota of the staging cluster is used up\nmake: *** [Makefile:2: deploy] Error 2"}},
		"PostToolUse-Bash-2": {
			{Event: "PostToolUse", Tool: "Bash", Command: "make test", Stdout: "all 12 checks passed"},
		},
		"PostToolUse-Edit":          {{Event: "PostToolUse", Tool: "Edit", File: "/home/dev/shop/rollout.sh", Before: "replicas=1", After: "replicas=3"}},
		"PostToolUse-Write":         {{Event: "PostToolUse", Tool: "Write", File: "/home/dev/shop/runbook.md", After: "# How to deploy\nAsk Ann first.\n"}},
		"PostToolUse-Read":          {{Event: "PostToolUse", Tool: "Read", File: "/home/dev/shop/Makefile"}},
		"PostToolUseFailure-Edit":   nil,
		"UserPromptSubmit-subagent": nil, // no prompt of the user
		"Stop-subagent":             nil,
		"PostToolUse-Bash-subagent": {{Event: "PostToolUse", Tool: "Bash", Command: "make lint", Stdout: "no faults"}},
		"PostToolUse-surrealdb-memory-store_memory": {{
			Event: "PostToolUse", Tool: "mcp__plugin_surrealdb-memory_memory__store_memory", After: "The rollout takes ten minutes.",
		}},
	})
}

func TestCopilotsSubagentsBelongToTheMainSession(t *testing.T) {
	const main = "0dd29c96-25db-44d8-b211-b9f04ecd6208"
	start := input(t, client.Copilot, "SubagentStart")
	start.HookEventName = hookio.SubagentStart // it is not in the input, and the program knows it
	for _, in := range []hookio.Input{
		inputs(t, client.Copilot, start)[0], inputs(t, client.Copilot, input(t, client.Copilot, "SubagentStop"))[0],
		inputs(t, client.Copilot, input(t, client.Copilot, "PostToolUse-Bash-subagent"))[0],
	} {
		if in.SessionID != main || in.AgentID == "" || in.AgentType != "explore" {
			t.Errorf("%s is of session %s, agent %s of type %s", in.HookEventName, in.SessionID, in.AgentID, in.AgentType)
		}
	}
}

func TestCopilotsLastWordsAreReadInTheTranscript(t *testing.T) {
	in := input(t, client.Copilot, "Stop")
	if got, want := inputs(t, client.Copilot, in)[0].LastAssistantMessage, "The script is changed; the deployment failed."; got != want {
		t.Errorf("the last words are %q, want %q", got, want)
	}
	hostile := filepath.Join(t.TempDir(), "events.jsonl")
	text := "{\"type\":\"assistant.message\",\"data\":{\"content\":\"main\"}}\n{\"type\":\"assistant.message\",\"agentId\":\"a\",\"data\":{\"content\":\"a subagent's\"}}\n" +
		"{\"type\":\"assistant.message\",\"data\":{\"content\":7}}\n{\"type\":\"assistant.message\",\"da\n"
	if err := os.WriteFile(hostile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{hostile: "main", t.TempDir(): "", "": ""} {
		in.TranscriptPath = file
		if got := inputs(t, client.Copilot, in)[0].LastAssistantMessage; got != want {
			t.Errorf("of %q: %q, want %q", file, got, want)
		}
	}
}

func TestCopilotIsAnsweredWhereItReads(t *testing.T) {
	copilot, _ := client.Named(client.Copilot)
	for event, want := range map[string]hookio.Output{
		"SessionStart":     {BareContext: "a"},
		"UserPromptSubmit": {BareContext: "a"},
		"PostToolUse":      {BareContext: "a"},
		"":                 {BareContext: "a"}, // SubagentStart
		"PreToolUse":       hookio.Context("PreToolUse", "a"),
	} {
		if got := copilot.Output(event, hookio.Context("x", "a")); got != want {
			t.Errorf("%s: %+v, want %+v", event, got, want)
		}
		if got := copilot.Output(event, hookio.Block("why")); !got.IsZero() {
			t.Errorf("%s: the question is asked: %+v", event, got)
		}
	}
}

func TestCopilotOutcome(t *testing.T) {
	for told, want := range map[string]struct {
		output string
		code   int64
		known  bool
	}{
		"": {"", 0, false},
		"a\n<shellId: 0 completed with exit code 0>":                                          {"a", 0, true},
		"a\n<shellId: 12 completed with exit code 137>":                                       {"a", 137, true},
		"<shellId: 0 completed with exit code 0>\nb\n<shellId: 1 completed with exit code 2>": {"<shellId: 0 completed with exit code 0>\nb", 2, true},
		"a\n<command with shellId: 0 is still running>":                                       {"a\n<command with shellId: 0 is still running>", 0, false},
		"a\n<shellId: 0 completed with exit code x>":                                          {"a", 0, false},
		"<shellId: 0 completed with exit code 0>, said the log":                               {"", 0, false},
	} {
		if output, code, known := client.CopilotOutcome(told); output != want.output || code != want.code || known != want.known {
			t.Errorf("%q: %q, %d, %v", told, output, code, known)
		}
	}
}
