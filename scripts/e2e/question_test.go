//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// question is how the one question to the model begins, as the client hands it on.
const question = "Stop hook feedback:\nBefore you finish: "

// asked is how often the question was put to the model in the whole conversation of a request.
func asked(r Request) int {
	n := 0
	for _, message := range r.Messages {
		if message.Role == "user" {
			n += strings.Count(message.Content.PlainText(), question)
		}
	}
	return n
}

// A program reads the output of `claude -p`: it gets the model's own answer, whatever the setting is. pkg/hooks and
// pkg/agent test when people are asked.
func TestAProgramGetsTheModelsOwnAnswer(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	var steps []Step
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		steps = append(steps, Call("Write", map[string]any{"file_path": filepath.Join(u.Project, name), "content": name + "\n"}))
	}
	api.Script("much", append(steps, Say("Six files."), Say("This must not be needed."))...)
	for _, setting := range []string{"", "auto", "always"} {
		u.Env = nil
		if setting != "" {
			u.Env = []string{"MEMORY_HOOKS_STOP_ASK=" + setting}
		}
		run := u.Run(t.Context(), "SCRIPT:much", "--allowedTools", "Write")
		requireGoodRun(t, run, "PostToolUse:Write", "Stop", "SessionEnd:other")
		if n := asked(lastRequest(t, api, "SCRIPT:much")); n != 0 || run.Answer != "Six files." || stops(run) != 1 {
			t.Errorf("asked by %q: the model was asked %d times; it ended %d times, with %q", setting, n, stops(run), run.Answer)
		}
		if got := len(sessionEvents(u.stored(t, run.SessionID), memory.EventAsked)); got != 0 {
			t.Errorf("asked by %q: stored are %d questions", setting, got)
		}
	}
}

// stops is how often the main agent ended its turn.
func stops(run Result) int {
	n := 0
	for _, hook := range run.Hooks {
		if hook.Event == "Stop" {
			n++
		}
	}
	return n
}
