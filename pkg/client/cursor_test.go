package client_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// The inputs of Cursor are written from documents, and not by the client: docs/clients.md.
func TestCursorsToolsAreThoseOfClaudeCode(t *testing.T) {
	const script = "/home/dev/shop/rollout.sh"
	requireDone(t, client.Cursor, map[string][]did{
		"sessionStart":                 {{Event: "SessionStart"}},
		"beforeSubmitPrompt":           {{Event: "UserPromptSubmit"}},
		"afterAgentResponse":           {{Event: "Stop"}},
		"sessionEnd":                   {{Event: "SessionEnd"}},
		"stop":                         nil, // afterAgentResponse has the words
		"preCompact":                   nil,
		"postToolUse-Shell":            {{Event: "PostToolUse", Tool: "Bash", Command: "make test", Stdout: "all 12 checks passed\n"}},
		"postToolUse-Shell-documented": {{Event: "PostToolUse", Tool: "Bash", Command: "make test", Stdout: "all 12 checks passed"}},
		"postToolUse-Shell-failed": {{
			Event: "PostToolUseFailure", Tool: "Bash", Command: "make deploy", Error: "Exit code 2\nquota of the staging cluster is used up\n",
		}},
		"postToolUse-Read":  {{Event: "PreToolUse", Tool: "Read", File: "/home/dev/shop/Makefile"}, {Event: "PostToolUse", Tool: "Read", File: "/home/dev/shop/Makefile"}},
		"postToolUse-Write": {{Event: "PreToolUse", Tool: "Write", File: script, After: "#!/bin/sh\nreplicas=3\n"}}, // afterFileEdit has the change
		"postToolUse-Grep":  nil,
		"postToolUse-MCP":   nil, // it may be ours
		"postToolUse-Task":  nil, // subagentStop has the report
		"postToolUseFailure-Shell": {{
			Event: "PostToolUseFailure", Tool: "Bash", Command: "make deploy", Error: "quota of the staging cluster is used up\nmake: *** [Makefile:2: deploy] Error 2\n",
		}},
		"postToolUseFailure-Shell-denied": nil, // it did not run
		"postToolUseFailure-Read":         nil,
		"afterFileEdit": {
			{Event: "PostToolUse", Tool: "Edit", File: script, Before: "replicas=1", After: "replicas=3"},
			{Event: "PostToolUse", Tool: "Edit", File: script, Before: "# old", After: "# new"},
		},
		"afterFileEdit-new": {{Event: "PostToolUse", Tool: "Write", File: "/home/dev/shop/runbook.md"}},
		"subagentStop":      {{Event: "PostToolUse", Tool: "Agent"}},
	})
}

func TestCursorsSessionsHaveADirectoryWordsAndReports(t *testing.T) {
	one := func(event string) hookio.Input { return inputs(t, client.Cursor, input(t, client.Cursor, event))[0] }
	const session = "5b0d6c1e-8a4f-4f1e-9d8e-2b7f1c3a9e10"
	for _, event := range []string{"sessionStart", "beforeSubmitPrompt", "postToolUse-Shell", "afterFileEdit", "subagentStop", "sessionEnd"} {
		if in := one(event); in.SessionID != session || in.CWD != "/home/dev/shop" {
			t.Errorf("%s is of session %s in %q", event, in.SessionID, in.CWD)
		}
	}
	got := []string{
		one("sessionStart").Source, one("beforeSubmitPrompt").Prompt, one("afterAgentResponse").LastAssistantMessage, one("sessionEnd").Reason,
		one("subagentStop").ToolInput.String("subagent_type"), one("subagentStop").ToolInput.String("prompt"), one("subagentStop").ToolResponse.Get("content").Items[0].String("text"),
		one("subagentStop-silent").ToolResponse.Get("content").Items[0].String("text"),
	}
	if diff := cmp.Diff([]string{
		"startup", "Remember: the staging database listens on port 6543.", "The script is changed; the deployment failed.", "completed",
		"explore", "Find out who calls deploy()", "deploy() is called by main.go alone.", "",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if in := one("postToolUseFailure-Shell-interrupted"); !in.IsInterrupt {
		t.Error("a command that the user stopped passes for one that failed")
	}
}

// A long output is cut in its middle, and is no JSON then.
func TestCursorsExitCodeIsReadInWhatIsLeft(t *testing.T) {
	for output, want := range map[string]did{
		`{"output":"a…[9 bytes cut]…b","exitCode":0}`:          {Event: "PostToolUse", Stdout: "a…[9 bytes cut]…b"},
		`{"output":"a \"quoted…[9 bytes cut]\…","exitCode":0}`: {Event: "PostToolUse", Stdout: `{"output":"a \"quoted…[9 bytes cut]\…",`},
		`{"output":"a\…","exitCode": 12}`:                      {Event: "PostToolUseFailure", Error: "Exit code 12\n" + `{"output":"a\…",`},
		`{"output":"a"}`:                                       {Event: "PostToolUse", Stdout: "a", Unknown: true},
		`no JSON`:                                              {Event: "PostToolUse", Stdout: "no JSON", Unknown: true},
		`{"output":"\…","exitCode":x}`:                         {Event: "PostToolUse", Stdout: `{"output":"\…",`, Unknown: true},
	} {
		in := input(t, client.Cursor, "postToolUse-Shell")
		in.ToolResponse = hookio.Value{Kind: hookio.String, Text: output, Cut: true}
		got := inputs(t, client.Cursor, in)[0]
		if diff := cmp.Diff(want, did{Event: got.HookEventName, Error: got.Error, Stdout: got.ToolResponse.String("stdout"), Unknown: got.ToolResponse.Bool("interrupted")}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", output, diff)
		}
	}
}

func TestCursorIsAnsweredWhereItReads(t *testing.T) {
	cursor, _ := client.Named(client.Cursor)
	var line strings.Builder
	if err := cursor.Output("sessionStart", hookio.Context("SessionStart", "told")).Encode(&line); err != nil || line.String() != `{"additional_context":"told"}`+"\n" {
		t.Errorf("answered %q, error %v", line.String(), err)
	}
	for _, silent := range []hookio.Output{hookio.Block("why"), hookio.Allow(), {SystemMessage: "a"}} { // each would stop something, or be no part of the contract
		if got := cursor.Output("afterAgentResponse", silent); !got.IsZero() {
			t.Errorf("%+v is answered by %+v", silent, got)
		}
	}
}
