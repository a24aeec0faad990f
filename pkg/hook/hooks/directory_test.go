package hooks_test

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// TestTheDaemonGetsTheDirectoryOfTheClient: the client loads the instructions of the
// folders from there up to the project's root.
func TestTheDaemonGetsTheDirectoryOfTheClient(t *testing.T) {
	w := newWorld(t)
	below := filepath.Join(w.project, "services", "billing")
	makeDirs(t, below)
	a := startDaemon(t, w, "")
	for _, dir := range []string{w.project, below} {
		for _, input := range []fields{
			{"session_id": session, "hook_event_name": hookio.SessionStart, "source": "startup"},
			{"session_id": session, "hook_event_name": hookio.UserPromptSubmit, "prompt": "which port does staging use?"},
		} {
			runInProcess(t, w.with("CLAUDE_PROJECT_DIR", dir), toJSON(t, input))
		}
	}
	requests := map[any]int{} // number by directory
	for _, c := range a.requests(t) {
		if c.Params["root"] == w.project {
			requests[c.Params["dir"]]++
		}
	}
	if want := map[any]int{nil: 2, below: 2}; !maps.Equal(requests, want) {
		t.Errorf("requests by directory %v, want %v", requests, want)
	}
}
