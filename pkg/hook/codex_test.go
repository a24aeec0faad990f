package hook_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// foreignRun runs a hook as Codex does, and returns its answer, its log, and for which tools it was run.
func foreignRun(t *testing.T, client, event, input string, answer hookio.Output) (out, log string, tools []string) {
	t.Helper()
	base := t.TempDir()
	home := filepath.Join(base, "project")
	musttest.Do(t, os.Mkdir(home, 0o700))
	var written strings.Builder
	h := hook.Hook{Event: event, Deadline: func(config.Hooks) time.Duration { return time.Minute }, Run: func(_ context.Context, call *hook.Call) (hookio.Output, error) {
		tools = append(tools, call.Input.ToolName)
		if dir := call.Getenv("CLAUDE_PROJECT_DIR"); dir != "" || call.Project.Root != home {
			t.Errorf("Codex's session is in %q, of Claude Code's %q", call.Project.Root, dir)
		}
		return answer, nil
	}}
	code := hook.Run(h, hook.Process{
		Stdin: strings.NewReader(strings.ReplaceAll(input, "HOME", filepath.ToSlash(home))), Stdout: &written, Stderr: &written, Now: time.Now, Executable: home + "/libexec/test", Client: client,
		Getenv: func(name string) string {
			return map[string]string{"MEMORY_HOME": base + "/memory", "CLAUDE_PROJECT_DIR": "/of/claude/code"}[name]
		},
	})
	musttest.Same(t, 0, code, "exit code")
	text, _ := os.ReadFile(filepath.Join(base, "memory", "logs", "hooks.log")) // there is none where nothing went wrong
	return written.String(), string(text), tools
}

const (
	foreignPatch = `{"session_id":"s","cwd":"HOME","hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: a\n+1\n*** Add File: b\n+1\n*** End Patch\n"}}`
	foreignFail  = `{"session_id":"s","cwd":"HOME","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":"","tool_use_id":"c"}`
)

func TestCodexsInputIsServed(t *testing.T) {
	for name, c := range map[string]struct {
		client, event, input string
		tools                int
		out, log             string
	}{
		"a patch of two files": {"codex", "PreToolUse", foreignPatch, 3, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"hello\nhello\nhello"}}` + "\n", ""},
		"a command whose end is not known, for the program of failures": {"codex", "PostToolUseFailure", foreignFail, 0, "", ""},
		"and for that of tools":    {"codex", "PostToolUse", foreignFail, 1, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"hello"}}` + "\n", ""},
		"an unknown client":        {"codecs", "PreToolUse", foreignPatch, 0, "", "is codex"},
		"an input that is cut off": {"codex", "PreToolUse", foreignPatch[:60], 0, "", "pre-tool-use"},
		"no input":                 {"codex", "PreToolUse", "", 0, "", "pre-tool-use"},
	} {
		t.Run(name, func(t *testing.T) {
			out, log, tools := foreignRun(t, c.client, c.event, c.input, hookio.Context(c.event, "hello"))
			if out != c.out || len(tools) != c.tools || !strings.Contains(log, c.log) || (c.log == "") != (log == "") {
				t.Errorf("answered %q, ran for %q, logged %q", out, tools, log)
			}
		})
	}
}
