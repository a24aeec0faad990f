package hooks_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestACallOfAModelRunsUntilItsResult, or until its conversation or agent has stopped: the end of a turn ends no call of an agent in the background. What an
// agent's call leaves running began before the client's waiting.
func TestACallOfAModelRunsUntilItsResult(t *testing.T) {
	const clientPID = 4711
	w := newWorld(t).with("CLAUDE_PID", strconv.Itoa(clientPID))
	startDaemon(t, w, injected)
	was := time.Now()
	for n, step := range []struct {
		event, agent, call string
		calls              int
		waits, isNewer     bool // for its user; since this step
	}{
		{event: hookio.Stop, waits: true},
		{event: hookio.PreToolUse, agent: "a1", call: "c1", calls: 1, waits: true},
		{event: hookio.Stop, calls: 1, waits: true},
		{event: hookio.PostToolUse, agent: "a1", call: "c1", waits: true, isNewer: true},
		{event: hookio.PreToolUse, agent: "a1", call: "c2", calls: 1, waits: true},
		{event: hookio.PostToolUseFailure, agent: "a1", call: "c2", waits: true, isNewer: true},
		{event: hookio.PreToolUse, call: "c3", calls: 1},
		{event: hookio.PreToolUse, agent: "a1", call: "c4", calls: 2},
		{event: hookio.PostToolUse, call: "c3", calls: 1},
		{event: hookio.PreToolUse, call: "c5", calls: 2},
		{event: hookio.UserPromptSubmit, calls: 1},
		{event: hookio.PreToolUse, agent: "a2", call: "c6", calls: 2},
		{event: hookio.SubagentStop, agent: "a1", calls: 1},
		{event: hookio.Stop, calls: 1, waits: true},
		{event: hookio.SubagentStop, agent: "a2", waits: true},
	} {
		runInProcess(t, w, toJSON(t, fields{
			"session_id": session, "hook_event_name": step.event, "agent_id": step.agent, "agent_type": "helper", "tool_use_id": step.call, "tool_name": "Bash", "prompt": "go on",
			"tool_input": fields{"command": "make"}, "tool_response": fields{"stdout": ""}, "error": "Exit code 1",
		}))
		calls, _ := os.ReadDir(w.layout().CallMarkers(clientPID))
		idle, err := os.Stat(w.layout().IdleMarker(clientPID))
		if len(calls) != step.calls || (err == nil) != step.waits || step.isNewer && !idle.ModTime().After(was) {
			t.Errorf("step %d, %s of %q: %d calls run, want %d; the client's waiting: %v, %v", n, step.event, step.agent, len(calls), step.calls, idle, err)
		}
		if was = time.Now(); err == nil {
			old := was.Add(-time.Hour)
			musttest.Do(t, os.Chtimes(w.layout().IdleMarker(clientPID), old, old))
		}
	}
}
