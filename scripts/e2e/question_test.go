//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

func TestModelIsAskedOnceAfterRealWork(t *testing.T) {
	u, api := newUser(t)
	write := func(names ...string) []Step {
		var steps []Step
		for _, name := range names {
			steps = append(steps, Call("Write", map[string]any{"file_path": filepath.Join(u.Project, name), "content": name + "\n"}))
		}
		return steps
	}
	api.Script("little", append(write("a", "b", "c", "d"), Say("Four files."))...)
	keep := "memory remember --kind decision 'The files are named by letters.'"
	api.Script("more", append(write("e"), Say("One more file."),
		Call("Bash", map[string]any{"command": keep, "description": "Keep it"}), Say("I kept what I learned."))...)
	api.Script("much", append(write("f", "g", "h", "i", "j", "k"), Say("Six more files."), Say("This must not be needed."))...)

	// Four edits are less than real work; the fifth, later in the same session, makes it that.
	few := u.Run(t.Context(), "SCRIPT:little", "--allowedTools", "Write")
	requireGoodRun(t, few, "PostToolUse:Write", "Stop", "SessionEnd:other")
	if few.Answer != "Four files." || asked(lastRequest(t, api, "SCRIPT:little")) != 0 {
		t.Errorf("after four edits the model was asked; it ended with %q", few.Answer)
	}
	fifth := u.Run(t.Context(), "SCRIPT:more", "--continue", "--allowedTools", "Write,Bash")
	requireGoodRun(t, fifth, "PostToolUse:Write", "Stop", "SessionEnd:other")
	if n := asked(lastRequest(t, api, "SCRIPT:more")); n != 1 || fifth.Answer != "I kept what I learned." {
		t.Errorf("after five edits the model was asked %d times, want once; it ended with %q", n, fifth.Answer)
	}
	if n := stops(fifth); n != 2 {
		t.Errorf("the turn ended %d times, want twice: before the question and after the answer", n)
	}
	// What the agent knew of the question does not die with it.
	u.memory(t, nil, "agent", "stop")
	again := u.Run(t.Context(), "SCRIPT:much", "--continue", "--allowedTools", "Write")
	requireGoodRun(t, again, "PostToolUse:Write", "Stop", "SessionEnd:other")
	if n := asked(lastRequest(t, api, "SCRIPT:much")); n != 1 || again.Answer != "Six more files." || stops(again) != 1 {
		t.Errorf("in the whole session the model was asked %d times, want once; it ended %d times, with %q", n, stops(again), again.Answer)
	}

	activity := u.stored(t, few.SessionID)
	if got := len(moments(activity, memory.EventAsked)); got != 1 {
		t.Errorf("stored are %d questions, want one", got)
	}
	if diff := cmp.Diff([]string{"Four files.", "One more file.", "Six more files."}, moments(activity, memory.EventTurnEnded)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"The files are named by letters."}, seen(activity, memory.KindDecision)); diff != "" {
		t.Error(diff)
	}
	if got := len(seen(activity, memory.KindEdit)); got != 11 {
		t.Errorf("stored are %d edits, want 11", got)
	}
	requireNoRecallStored(t, activity)

	u.Env = []string{"MEMORY_HOOKS_STOP_ASK=never"}
	never := u.Run(t.Context(), "SCRIPT:much", "--allowedTools", "Write")
	if asked(lastRequest(t, api, "SCRIPT:much")) != 0 || stops(never) != 1 {
		t.Errorf("the model was asked although that is switched off; it ended with %q", never.Answer)
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
