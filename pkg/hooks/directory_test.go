package hooks_test

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// TestTheAgentIsToldWhereTheClientWasStarted: the client loads the instructions of the
// folders from there up to the project's root.
func TestTheAgentIsToldWhereTheClientWasStarted(t *testing.T) {
	w := newWorld(t)
	below := filepath.Join(w.project, "services", "billing")
	makeDirs(t, below)
	a := startAgent(t, w, "")
	for _, dir := range []string{w.project, below} {
		for _, input := range []fields{
			{"session_id": session, "hook_event_name": hookio.SessionStart, "source": "startup"},
			{"session_id": session, "hook_event_name": hookio.UserPromptSubmit, "prompt": "which port does staging use?"},
		} {
			runInProcess(t, w.with("CLAUDE_PROJECT_DIR", dir), toJSON(t, input))
		}
	}
	told := map[any]int{} // how often, by the directory
	for _, c := range a.told(t) {
		if c.Params["root"] == w.project {
			told[c.Params["dir"]]++
		}
	}
	if want := map[any]int{nil: 2, below: 2}; !maps.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}
