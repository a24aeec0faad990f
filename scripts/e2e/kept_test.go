//go:build e2e

package e2e

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"
)

// saidOfKept returns the messages of prompt hooks to the user.
func saidOfKept(t *testing.T, run Result) []string {
	t.Helper()
	var said []string
	for _, hook := range run.Hooks {
		if hook.Event != "UserPromptSubmit" || hook.Stdout == "" {
			continue
		}
		var answer struct{ SystemMessage string }
		if err := json.Unmarshal([]byte(hook.Stdout), &answer); err != nil {
			t.Fatalf("the hook answers %q: %v", hook.Stdout, err)
		}
		if answer.SystemMessage != "" {
			said = append(said, answer.SystemMessage)
		}
	}
	return said
}

// The user sees once a session which memories were extracted from it, with the next prompt; the model does
// not.
func TestTheUserIsToldWhatWasKept(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	prompts := []string{
		"Always run make check before you commit anything.", "What is a fox?", "Never use float64 for money in this project.", "What is a bear?",
	}
	run := u.Chat(t.Context(), prompts)
	requireGoodRun(t, run, "UserPromptSubmit", "Stop", "SessionEnd:other")
	said := saidOfKept(t, run)
	if len(said) != 1 || !strings.Contains(said[0], "remembered 1 thing from this session: “Always run make check") {
		t.Errorf("the user is told %q", said)
	}
	for _, request := range api.RequestsWith("What is a fox?") {
		for _, message := range request.Messages {
			if text := message.Content.PlainText(); strings.Contains(text, "of this session") {
				t.Errorf("the model is told %q", text)
			}
		}
	}
	u.Env = []string{"MEMORY_HOOKS_NOTICES=false"}
	if said := saidOfKept(t, u.Chat(t.Context(), []string{"Always answer in one short paragraph.", "What is a wolf?"})); len(said) != 0 {
		t.Errorf("against the setting the user is told %q", said)
	}
}

// drawn matches the escape sequences and blanks in a terminal's output: the client places words by
// moving the cursor.
var drawn = regexp.MustCompile("\x1b\\[[0-9;?<>=]*[A-Za-z]|\x1b[^\\[]|\\s")

// A person sees it on the screen.
func TestAPersonSeesWhatWasKept(t *testing.T) {
	u, api := newUser(t)
	api.Script("answer", Say("Understood."))
	u.Run(t.Context(), "Hello.") // the daemon runs, so that it sees the next session start
	c := u.talk(t.Context(), t)
	await(t, 20*time.Second, "the session to start", func() bool { return c.logged("SessionStart:startup") > 0 })
	for i, prompt := range []string{"Always run make check before you commit anything. SCRIPT:answer", "SCRIPT:answer What is a fox?"} {
		words := strings.Fields(prompt)
		c.typed(prompt, words[len(words)-1])
		await(t, 20*time.Second, "the end of the turn", func() bool { return c.logged("Hooks: Stop [") > i })
	}
	await(t, 10*time.Second, "the line on the screen", func() bool {
		return strings.Contains(drawn.ReplaceAllString(c.shown(1<<20), ""), "remembered1thingfromthissession")
	})
}
