package client_test

import (
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

func TestOpenCodesToolsAreThoseOfClaudeCode(t *testing.T) {
	requireDone(t, client.OpenCode, map[string][]did{
		"SessionStart":              {{Event: "SessionStart"}},
		"UserPromptSubmit":          {{Event: "UserPromptSubmit"}},
		"Stop":                      {{Event: "Stop"}},
		"SessionEnd":                {{Event: "SessionEnd"}},
		"SubagentStart":             {{Event: "SubagentStart"}},
		"PreToolUse-task":           {{Event: "PreToolUse", Tool: "Agent"}},
		"PreToolUse-read":           {{Event: "PreToolUse", Tool: "Read", File: "/home/dev/shop/rollout.sh"}},
		"PostToolUse-read":          {{Event: "PostToolUse", Tool: "Read", File: "/home/dev/shop/rollout.sh"}},
		"PostToolUse-bash":          {{Event: "PostToolUseFailure", Tool: "Bash", Command: "make deploy", Error: "Exit code 2\nquota of the staging cluster is used up\nmake: *** [Makefile:2: deploy] Error 2\n"}},
		"PostToolUse-bash-2":        {{Event: "PostToolUse", Tool: "Bash", Command: "make test", Stdout: "all 12 checks passed\n"}},
		"PostToolUse-bash-subagent": {{Event: "PostToolUse", Tool: "Bash", Command: "make lint", Stdout: "no faults\n"}},
		"PostToolUse-edit":          {{Event: "PostToolUse", Tool: "Edit", File: "/home/dev/shop/rollout.sh", Before: "replicas=1", After: "replicas=3"}},
		"PostToolUse-write":         {{Event: "PostToolUse", Tool: "Write", File: "/home/dev/shop/runbook.md", After: "# How to deploy\nAsk Ann first.\n"}},
		"PostToolUse-task":          {{Event: "PostToolUse", Tool: "Agent"}},
		"PostToolUse-surrealdb-memory_store_memory": {{
			Event: "PostToolUse", Tool: "mcp__plugin_surrealdb-memory_memory__store_memory", After: "The rollout takes ten minutes.",
		}},
	})
}

func TestOpenCodesReportsAndPatchesArePassedOn(t *testing.T) {
	in := inputs(t, client.OpenCode, input(t, client.OpenCode, "PostToolUse-task"))[0]
	if got := in.ToolResponse.List("content"); len(got) != 1 || got[0].String("text") != "deploy() is called by main.go alone." {
		t.Errorf("the report is %+v", in.ToolResponse)
	}
	if got := client.OpenCodeReport("no tags"); got != "no tags" {
		t.Errorf("without tags the report is %q", got)
	}
	patch := hookio.Input{HookEventName: hookio.PostToolUse, ToolName: "apply_patch", CWD: "/home/dev/shop"}
	patch.ToolInput = hookio.Value{Kind: hookio.Object, Fields: []hookio.Field{{
		Name: "patchText", Value: hookio.Value{Kind: hookio.String, Text: "*** Begin Patch\n*** Add File: a\n+1\n*** End Patch"},
	}}}
	if got := inputs(t, client.OpenCode, patch); len(got) != 1 || filepath.ToSlash(got[0].ToolInput.String("file_path")) != "/home/dev/shop/a" || got[0].ToolName != "Write" {
		t.Errorf("the patch is %+v", got)
	}
}

func TestOpenCodePrompt(t *testing.T) {
	for prompt, want := range map[string]string{
		"":                                 "",
		`"`:                                `"`,
		`"Remember: a b"`:                  "Remember: a b",
		`"say \"hello\" to me"`:            `say "hello" to me`,
		`"a" or "b"`:                       `"a" or "b"`,
		`go on`:                            "go on",
		"\"Remember:\nthe port is 6543.\"": "Remember:\nthe port is 6543.",
	} {
		if got := client.OpenCodePrompt(prompt); got != want {
			t.Errorf("of %q is left %q, want %q", prompt, got, want)
		}
	}
}
