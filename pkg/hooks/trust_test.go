package hooks_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// TestAnOfferIsShownOnceAndAcceptedByTheUserOnly is about a cloned repository
// that names another project's key.
func TestAnOfferIsShownOnceAndAcceptedByTheUserOnly(t *testing.T) {
	w := newWorld(t)
	writeFile(t, filepath.Join(w.project, ".claude", "memory-project"), "github.com/victim/secret\n")
	a := startAgent(t, w, "")
	start := toJSON(t, fields{"session_id": session, "hook_event_name": hookio.SessionStart, "source": "startup"})
	for run, shown := range []bool{true, false} {
		out := runInProcess(t, w, start)
		if strings.Contains(out.Stdout, "memory projects trust") != shown {
			t.Errorf("start %d shows %q", run+1, out.Stdout)
		}
	}
	writeFile(t, w.layout().TrustMark("github.com/acme/rocket", "github.com/victim/secret"), "")
	runInProcess(t, w, start)
	captured, asked := map[any]int{}, map[any]int{}
	for _, e := range w.spooled(t) {
		captured[e["project"].(map[string]any)["key"]]++
	}
	for _, c := range a.requests(t) {
		if project, is := c.Params["project"]; is {
			asked[project]++
		}
	}
	want := map[any]int{"github.com/acme/rocket": 2, "github.com/victim/secret": 1}
	if !maps.Equal(captured, want) || !maps.Equal(asked, want) {
		t.Errorf("captured for %v, asked for %v, want %v of each", captured, asked, want)
	}
}

// TestNamesAreRedactedAsText is about whoever may choose a session's id, a path, a
// tool's name or a directory.
func TestNamesAreRedactedAsText(t *testing.T) {
	for name, input := range map[string]fields{
		"session":   {"session_id": "s-" + githubToken, "hook_event_name": hookio.SessionEnd, "reason": "other"},
		"reason":    {"session_id": session, "hook_event_name": hookio.SessionEnd, "reason": githubToken},
		"directory": {"session_id": session, "cwd": "/home/dev/" + githubToken + "/x", "hook_event_name": hookio.SessionEnd, "reason": "other"},
		"path": {
			"session_id": session, "hook_event_name": hookio.PostToolUse, "tool_name": "Write",
			"tool_input": fields{"file_path": "/home/dev/" + githubToken, "content": "x"},
		},
		"tool": {
			"session_id": session, "hook_event_name": hookio.PostToolUse, "tool_name": "mcp__x__" + githubToken,
			"tool_input": fields{"a": "b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if name == "directory" {
				delete(w.env, "CLAUDE_PROJECT_DIR")
			}
			startAgent(t, w, "")
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
