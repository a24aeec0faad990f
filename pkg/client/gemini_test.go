package client_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

func TestGeminisToolsAreThoseOfClaudeCode(t *testing.T) {
	requireDone(t, client.Gemini, map[string][]did{
		"SessionStart":                  {{Event: "SessionStart"}},
		"SessionStart-2":                {{Event: "SessionStart"}},
		"BeforeAgent":                   {{Event: "UserPromptSubmit"}},
		"AfterAgent":                    {{Event: "Stop"}},
		"SessionEnd":                    {{Event: "SessionEnd"}},
		"PreCompress":                   nil, // it comes before each request to the model
		"BeforeTool-run_shell_command":  nil,
		"AfterTool-run_shell_command":   {{Event: "PostToolUseFailure", Tool: "Bash", Command: "make deploy", Error: "Exit code 2\nquota of the staging cluster is used up\nmake: *** [Makefile:2: deploy] Error 2"}},
		"AfterTool-run_shell_command-2": {{Event: "PostToolUse", Tool: "Bash", Command: "make test", Stdout: "all 12 checks passed"}},
		"AfterTool-replace": {
			{Event: "PreToolUse", Tool: "Edit", File: "/home/dev/shop/rollout.sh", Before: "replicas=1", After: "replicas=3"},
			{Event: "PostToolUse", Tool: "Edit", File: "/home/dev/shop/rollout.sh", Before: "replicas=1", After: "replicas=3"},
		},
		"AfterTool-replace-2": nil, // it failed
		"AfterTool-write_file": {
			{Event: "PreToolUse", Tool: "Write", File: "/home/dev/shop/runbook.md", After: "# How to deploy\nAsk Ann first.\n"},
			{Event: "PostToolUse", Tool: "Write", File: "/home/dev/shop/runbook.md", After: "# How to deploy\nAsk Ann first.\n"},
		},
		"AfterTool-read_file": {
			{Event: "PreToolUse", Tool: "Read", File: "/home/dev/shop/Makefile"},
			{Event: "PostToolUse", Tool: "Read", File: "/home/dev/shop/Makefile"},
		},
		"AfterTool-mcp_surrealdb-memory_store_memory": {{
			Event: "PostToolUse", Tool: "mcp__plugin_surrealdb-memory_memory__store_memory", After: "The rollout takes ten minutes.",
		}},
		"AfterTool-invoke_agent": {{Event: "PostToolUse", Tool: "Agent"}},
	})
}

func TestGeminisPromptIsWithoutTheAnswersOfHooks(t *testing.T) {
	got := inputs(t, client.Gemini, input(t, client.Gemini, "BeforeAgent"))[0].Prompt
	if want := "Remember: the staging database listens on port 6543. SCRIPT:work"; got != want {
		t.Errorf("the prompt is %q, want %q", got, want)
	}
	for prompt, want := range map[string]string{
		"": "",
		"why is <hook_context>x</hook_context> there?":                          "why is <hook_context>x</hook_context> there?",
		"<hook_context>x</hook_context>\n\n<hook_context>y</hook_context>\n\na": "a",
		"<hook_context>never ended":                                             "<hook_context>never ended",
	} {
		if got := client.GeminiPrompt(prompt); got != want {
			t.Errorf("of %q is left %q, want %q", prompt, got, want)
		}
	}
}

func TestGeminisLastWordsAndReportsArePassedOn(t *testing.T) {
	if got := inputs(t, client.Gemini, input(t, client.Gemini, "AfterAgent"))[0].LastAssistantMessage; !strings.Contains(got, "the deployment failed") {
		t.Errorf("the last words are %q", got)
	}
	in := inputs(t, client.Gemini, input(t, client.Gemini, "AfterTool-invoke_agent"))[0]
	if got := in.ToolResponse.List("content"); len(got) != 1 || !strings.Contains(got[0].String("text"), "main.go alone") {
		t.Errorf("the report is %+v", in.ToolResponse)
	}
	if in.ToolInput.String("subagent_type") != "generalist" || in.ToolInput.String("prompt") == "" {
		t.Errorf("the task is %+v", in.ToolInput)
	}
}

func TestGeminiOutcome(t *testing.T) {
	type outcome struct {
		Output string
		Code   int64
		Known  bool
	}
	for name, c := range map[string]struct {
		told, shown string
		want        outcome
	}{
		"nothing":                         {"", "", outcome{}},
		"success":                         {"Output: a\nb\nProcess Group PGID: 7", "a\nb", outcome{"a\nb", 0, true}},
		"no output":                       {"Output: (empty)\nExit Code: 3\nProcess Group PGID: 7", "", outcome{"(empty)", 3, true}},
		"what it says looks like an exit": {"Output: Exit Code: 3\nProcess Group PGID: 7", "Exit Code: 3", outcome{"Exit Code: 3", 0, true}},
		"of an older version":             {"Command: x\nDirectory: (root)\nOutput: a\nError: (none)\nExit Code: 0\nSignal: 0\nProcess Group PGID: 7", "a", outcome{"a", 0, true}},
		"of an older version, odd":        {"Command: x", "a", outcome{"Command: x", 0, false}},
		"killed":                          {"Output: a\nSignal: 9\nProcess Group PGID: 7", "a", outcome{"a", 0, false}},
		"cancelled":                       {"Command was cancelled by user before it could complete.", "", outcome{"Command was cancelled by user before it could complete.", 0, false}},
		"in the background":               {"Command moved to background (PID: 7).", "", outcome{"Command moved to background (PID: 7).", 0, false}},
		"an odd code":                     {"Output: a\nExit Code: x", "a", outcome{"a", 0, false}},
		"output with the closing tag":     {"<untrusted_context>\nOutput: a\n</untrusted_context>\nb\nExit Code: 1\n</untrusted_context>", "", outcome{"a\n</untrusted_context>\nb", 1, true}},
	} {
		var got outcome
		got.Output, got.Code, got.Known = client.GeminiOutcome(c.told, c.shown)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestAnInputOfAnUnexpectedShapeIsNoHarm: fields that are missing or of another kind.
func TestAnInputOfAnUnexpectedShapeIsNoHarm(t *testing.T) {
	for _, c := range client.All() {
		for _, event := range []string{"", "Later", "AfterTool", "BeforeAgent", "AfterAgent", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostCompact", "Stop"} {
			for _, tool := range []string{"", "Bash", "bash", "edit", "run_shell_command", "replace", "invoke_agent", "apply_patch", "task", "mcp_"} {
				c.Inputs(hookio.Input{HookEventName: event, ToolName: tool})
			}
		}
	}
}
