package client_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// input reads a recorded input of the real Codex; docs/clients.md has its version. Its transcript is the recorded one.
func input(t *testing.T, event string) hookio.Input {
	t.Helper()
	recorded := filepath.Join("..", "..", "..", "testdata", "codex")
	text := musttest.Get(os.ReadFile(filepath.Join(recorded, "hook-input", event+".json")))(t)
	return musttest.Get(hookio.Decode(bytes.NewReader(bytes.ReplaceAll(text, []byte("/home/dev/.codex"), []byte(filepath.ToSlash(recorded))))))(t)
}

// did is the work of a tool according to an input.
type did struct{ Event, Tool, File, Command, Before, After, Error, Stdout string }

func TestCodexsToolsAreThoseOfClaudeCode(t *testing.T) {
	for event, want := range map[string][]did{
		"PreToolUse-Bash":    {{Event: "PreToolUse", Tool: "Bash", Command: "make deploy"}},
		"PostToolUse-Bash":   {{Event: "PostToolUseFailure", Tool: "Bash", Command: "make deploy", Error: "Exit code 2\nquota of the staging cluster is used up\nmake: *** [Makefile:2: deploy] Error 2\n"}},
		"PostToolUse-Bash-2": {{Event: "PostToolUse", Tool: "Bash", Command: "make test", Stdout: "all 12 checks passed\n"}},
		"PostToolUse-Bash-3": {{Event: "PostToolUseFailure", Tool: "Bash", Command: "echo slow; sleep 1; exit 4", Error: "Exit code 4\n"}}, // it ended in the background
		"PreToolUse-apply_patch": {
			{Event: "PreToolUse", Tool: "apply_patch", Command: input(t, "PreToolUse-apply_patch").ToolInput.String("command")},
			{Event: "PreToolUse", Tool: "Edit", File: "/home/dev/shop/rollout.sh", Before: "#!/bin/sh\nreplicas=1\n", After: "#!/bin/sh\nreplicas=3\n"},
			{Event: "PreToolUse", Tool: "Write", File: "/home/dev/shop/runbook.md", After: "# How to deploy\nAsk Ann first.\n"},
		},
		"PostToolUse-apply_patch": {
			{Event: "PostToolUse", Tool: "Edit", File: "/home/dev/shop/rollout.sh", Before: "#!/bin/sh\nreplicas=1\n", After: "#!/bin/sh\nreplicas=3\n"},
			{Event: "PostToolUse", Tool: "Write", File: "/home/dev/shop/runbook.md", After: "# How to deploy\nAsk Ann first.\n"},
		},
		"PreToolUse-spawn_agent":                          {{Event: "PreToolUse", Tool: "Agent"}},
		"PostToolUse-mcp__surrealdb_memory__store_memory": {{Event: "PostToolUse", Tool: "mcp__plugin_surrealdb-memory_memory__store_memory", After: "The rollout takes ten minutes."}},
		"UserPromptSubmit":                                {{Event: "UserPromptSubmit"}},
		"UserPromptSubmit-subagent":                       {{Event: "UserPromptSubmit"}}, // the hook passes it over, as every prompt of a subagent
		"SubagentStop":                                    {{Event: "SubagentStop"}},
		"SessionStart-compact":                            {{Event: "SessionStart"}},
	} {
		var got []did
		for _, in := range client.CodexInputs(input(t, event)) {
			got = append(got, did{
				in.HookEventName, in.ToolName, filepath.ToSlash(in.ToolInput.String("file_path")), in.ToolInput.String("command"), in.ToolInput.String("old_string"),
				in.ToolInput.String("new_string") + in.ToolInput.String("content"), in.Error, in.ToolResponse.String("stdout"),
			})
		}
		musttest.Same(t, want, got, "%s (-want +got)", event)
	}
}

func TestTheTaskOfASubagentIsPassedOn(t *testing.T) {
	in := client.CodexInputs(input(t, "PreToolUse-spawn_agent"))[0].ToolInput
	if in.String("subagent_type") != "explorer" || in.String("prompt") != "Find out who calls deploy()" {
		t.Errorf("the task is %+v", in)
	}
}

func TestTheSummaryOfACompactionIsReadInTheTranscript(t *testing.T) {
	got := client.CodexInputs(input(t, "PostCompact"))[0].CompactSummary
	musttest.Same(t, "SUMMARY: the deployment failed because the quota is used up.", got, "the summary")
}

// TestWithoutATranscriptNothingIsClaimed: a command whose exit code nobody knows did not succeed.
func TestWithoutATranscriptNothingIsClaimed(t *testing.T) {
	directory := t.TempDir()
	broken := filepath.Join(directory, "broken.jsonl")
	musttest.Do(t, os.WriteFile(broken, []byte("{\"CommandExecution\" call_1\n\x00\n{\"payload\":{\"item\":{\"type\":\"CommandExecution\",\"id\":\"call_1\",\"exit_code\":\"0\"}}}\n"), 0o600))
	for _, transcript := range []string{"", filepath.Join(directory, "missing"), directory, broken} {
		in := input(t, "PostToolUse-Bash")
		in.TranscriptPath = transcript
		got := client.CodexInputs(in)[0]
		if got.HookEventName != hookio.PostToolUse || !got.ToolResponse.Bool("interrupted") || got.Error != "" {
			t.Errorf("transcript %q: %+v", transcript, got)
		}
	}
	in := input(t, "PostCompact")
	in.TranscriptPath = broken
	musttest.Same(t, "", client.CodexInputs(in)[0].CompactSummary, "the summary")
}

// TestTheExitCodeIsFoundBehindALongOutput: the line of a command has its whole output.
func TestTheExitCodeIsFoundBehindALongOutput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rollout.jsonl")
	line := musttest.Get(json.Marshal(map[string]any{"payload": map[string]any{"item": map[string]any{
		"type": "CommandExecution", "id": "call_1", "aggregated_output": strings.Repeat("x", 1<<20), "exit_code": 7,
	}}}))(t)
	musttest.Do(t, os.WriteFile(file, append([]byte("{}\n"), line...), 0o600))
	in := input(t, "PostToolUse-Bash")
	in.TranscriptPath = file
	if got := client.CodexInputs(in)[0]; !strings.HasPrefix(got.Error, "Exit code 7\n") {
		t.Errorf("got %+v", got)
	}
}

func TestCodexIsAnsweredInFieldsThatItKnows(t *testing.T) {
	for name, c := range map[string]struct {
		event string
		given hookio.Output
		want  hookio.Output
	}{
		"context":                 {"SessionStart", hookio.Context("SessionStart", "a"), hookio.Context("SessionStart", "a")},
		"context after a failure": {"PostToolUse", hookio.Context("PostToolUseFailure", "a"), hookio.Context("PostToolUse", "a")},
		"a message alone":         {"SessionStart", hookio.Output{SystemMessage: "off"}, hookio.Output{SystemMessage: "off"}},
		"a permission":            {"PermissionRequest", hookio.Allow(), hookio.Output{}},
		"nothing":                 {"Stop", hookio.Output{}, hookio.Output{}},
	} {
		musttest.Same(t, c.want, client.CodexOutput(c.event, c.given), "%s", name)
	}
}

func TestPatchedFiles(t *testing.T) {
	for name, c := range map[string]struct {
		patch string
		want  []client.PatchedFile
	}{
		"nothing":               {"", nil},
		"no patch":              {"rm -rf /\n+x\n", nil},
		"several hunks":         {"*** Begin Patch\n*** Update File: a\n@@ func x\n-1\n+2\n@@\n-3\n+4\n*** End Patch", []client.PatchedFile{{Path: "a", Before: "1\n3\n", After: "2\n4\n"}}},
		"moved, and to the end": {"*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-1\n+2\n*** End of File\n*** End Patch\n", []client.PatchedFile{{Path: "b", Before: "1\n", After: "2\n"}}},
		"deleted":               {"*** Begin Patch\n*** Delete File: a\n*** Add File: b\n+1\n*** End Patch\n", []client.PatchedFile{{Path: "b", IsNew: true, After: "1\n"}}},
		"cut in the middle":     {"*** Begin Patch\n*** Add File: b\n+1\n+tw…[9 bytes cut]…\n*** End", []client.PatchedFile{{Path: "b", IsNew: true, After: "1\ntw…[9 bytes cut]…\n"}}},
	} {
		musttest.Same(t, c.want, client.PatchedFiles(c.patch), "%s (-want +got)", name)
	}
}

// Only the end of a transcript is read: it may have any size, and the line that
// the end begins in is no line. Lines of another form are skipped.
func TestTheLastLineOfATranscript(t *testing.T) {
	const most = 4 << 20
	line := func(text string) string {
		entry := musttest.Get(json.Marshal(map[string]any{"type": "assistant", "message": map[string]any{"content": []map[string]string{{"type": "text", "text": text}}}}))(t)
		return string(entry) + "\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"in the end":        {line("old") + strings.Repeat("x", most) + "\n" + line("new"), "new"},
		"before the end":    {line("old") + strings.Repeat("x", most) + "\n", ""},
		"begins in the end": {strings.Repeat("x", 100) + line(strings.Repeat("y", most)), ""},
		"no newline":        {line("old") + strings.TrimSuffix(line("new"), "\n"), "new"},
		"cut off":           {line("old") + line("new")[:40], "old"},
		"without text":      {line("old") + line(" \n"), "old"},
		"a text":            {`{"type":"assistant","message":{"content":"text"}}`, "text"},
		"of odd forms": {line("old") + `null
"assistant"
{"type":"assistant"}
{"type":"assistant","message":null}
{"type":"assistant","message":{"content":[{"type":"text","text":5},7,null]}}
{"type":"user","message":{"content":[{"type":"text","text":"assistant"}]}}
`, "old"},
		"empty": {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "transcript.jsonl")
			musttest.Do(t, os.WriteFile(file, []byte(c.text), 0o600))
			words := func(entry hookio.Value) string { return strings.TrimSpace(entry.Get("message", "content").Message()) }
			last := client.LastLine(file, func(entry hookio.Value) bool { return entry.String("type") == "assistant" && words(entry) != "" }, `"assistant"`)
			musttest.Same(t, c.want, words(last), "%.60q", last)
		})
	}
}
