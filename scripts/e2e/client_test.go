package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestResultTellsWhatTheHooksDid(t *testing.T) {
	dir := t.TempDir()
	result := Result{Stdout: filepath.Join(dir, "out.jsonl"), DebugLog: filepath.Join(dir, "debug.log")}
	write(t, result.Stdout, `{"type":"system","subtype":"hook_started","hook_id":"a","hook_name":"SessionStart:startup","hook_event":"SessionStart"}
{"type":"system","subtype":"hook_started","hook_id":"b","hook_name":"PostToolUse:Bash","hook_event":"PostToolUse"}
{"type":"system","subtype":"hook_started","hook_id":"c","hook_name":"Stop","hook_event":"Stop"}
{"type":"system","subtype":"hook_response","hook_id":"b","hook_name":"PostToolUse:Bash","hook_event":"PostToolUse","stdout":"oops\n","stderr":"bad\n","exit_code":3,"outcome":"error"}
{"type":"system","subtype":"hook_response","hook_id":"a","hook_name":"SessionStart:startup","hook_event":"SessionStart","stdout":"hi","stderr":"","exit_code":0,"outcome":"success"}
{"type":"result","session_id":"s-1","result":"done"}
`)
	write(t, result.DebugLog, `2026-11-20T18:17:51.399Z [DEBUG] Hooks: Stop [/p/hook Stop] (plugin p@inline) finished with status 0 (8ms)
2026-11-20T18:17:51.430Z [DEBUG] SessionEnd:other [${CLAUDE_PLUGIN_ROOT}/one] completed with status 0
2026-11-20T18:17:51.431Z [DEBUG] SessionEnd:other [${CLAUDE_PLUGIN_ROOT}/two] completed with status 1
2026-11-20T18:17:51.432Z [DEBUG] SessionEnd:other [${CLAUDE_PLUGIN_ROOT}/three] cancelled
`)
	musttest.Do(t, result.parse())
	if result.SessionID != "s-1" || result.Answer != "done" || len(result.Lines) != 6 {
		t.Errorf("session %q, answer %q, %d lines", result.SessionID, result.Answer, len(result.Lines))
	}
	failed := []HookRun{
		{Event: "PostToolUse", Name: "PostToolUse:Bash", Outcome: "error", ExitCode: 3, Stdout: "oops\n", Stderr: "bad\n"},
		{Event: "Stop", Name: "Stop", Outcome: "unfinished", ExitCode: -1},
		{Event: "SessionEnd", Name: "SessionEnd:other", Outcome: "completed with status 1", ExitCode: 1},
		{Event: "SessionEnd", Name: "SessionEnd:other", Outcome: "cancelled", ExitCode: -1},
	}
	musttest.Same(t, failed, result.FailedHooks(), "the failed hooks")
	names := []string{"SessionStart:startup", "PostToolUse:Bash", "Stop", "SessionEnd:other", "SessionEnd:other", "SessionEnd:other"}
	musttest.Same(t, names, result.HookNames(), "the hooks")
}

func write(t *testing.T, path, content string) {
	t.Helper()
	musttest.Do(t, os.WriteFile(path, []byte(content), 0o600))
}
