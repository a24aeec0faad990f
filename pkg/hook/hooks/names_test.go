package hooks_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// TestNamesAreRedactedAsText is about whoever may choose a session's id, a path, a
// tool's name or a directory.
func TestNamesAreRedactedAsText(t *testing.T) {
	for name, input := range map[string]fields{
		"session":   {"session_id": "s-" + githubToken, "hook_event_name": hookio.SessionEnd, "reason": "other"},
		"reason":    {"session_id": session, "hook_event_name": hookio.SessionEnd, "reason": githubToken},
		"directory": {"session_id": session, "cwd": "/home/dev/" + githubToken + "/x", "hook_event_name": hookio.SessionEnd, "reason": "other"},
		"path":      {"session_id": session, "hook_event_name": hookio.PostToolUse, "tool_name": "Write", "tool_input": fields{"file_path": "/home/dev/" + githubToken, "content": "x"}},
		"tool":      {"session_id": session, "hook_event_name": hookio.PostToolUse, "tool_name": "mcp__x__" + githubToken, "tool_input": fields{"a": "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if name == "directory" {
				delete(w.env, "CLAUDE_PROJECT_DIR")
			}
			startDaemon(t, w, "")
			runInProcess(t, w, toJSON(t, input))
			events := w.spooled(t)
			if len(events) != 1 {
				t.Fatalf("%d events", len(events))
			}
			if text := toJSON(t, events[0]); strings.Contains(text, githubToken) || !strings.Contains(text, "[redacted:github-token]") {
				t.Errorf("kept %s", text)
			}
		})
	}
}
