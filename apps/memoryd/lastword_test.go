//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

// conversation is a session of a client with the programs of a plugin.
type conversation struct {
	*home
	root, session string
}

// hook runs a hook of the session and returns the context that it injects and the line that it shows to the user.
func (c conversation) hook(t *testing.T, name, event string, more map[string]any) (context, shown string) {
	t.Helper()
	input := map[string]any{"session_id": c.session, "hook_event_name": event, "cwd": c.project(t)}
	for field, value := range more {
		input[field] = value
	}
	text := musttest.Get(json.Marshal(input))(t)
	var output struct {
		SystemMessage      string
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if said := c.within(t, time.Minute, string(text), filepath.Join(c.root, "libexec", name)); said != "" {
		if err := json.Unmarshal([]byte(said), &output); err != nil {
			t.Fatalf("%s printed %q: %v", name, said, err)
		}
	}
	return output.HookSpecificOutput.AdditionalContext, output.SystemMessage
}

func (c conversation) begin(t *testing.T) (context, shown string) {
	t.Helper()
	return c.hook(t, "session-start", "SessionStart", map[string]any{"source": "startup"})
}

func (c conversation) prompt(t *testing.T, text string) {
	t.Helper()
	c.hook(t, "user-prompt-submit", "UserPromptSubmit", map[string]any{"prompt": text})
}

func (c conversation) end(t *testing.T) {
	t.Helper()
	c.hook(t, "session-end", "SessionEnd", map[string]any{"reason": "other"})
}

// store has the model call store_memory, and returns the answer.
func (c conversation) store(t *testing.T, arguments map[string]any) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(c.root, "libexec", "memory-mcp"))
	cmd.Dir, cmd.Stderr = c.project(t), os.Stderr
	cmd.Env = append(append(c.environment(t), c.env...), "CLAUDE_PROJECT_DIR="+c.project(t), "CLAUDE_CODE_SESSION_ID="+c.session)
	input := musttest.Get(cmd.StdinPipe())(t)
	output, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(output)
	ask(t, input, answers, 1, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	send(t, input, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	params := musttest.Get(json.Marshal(map[string]any{"name": "store_memory", "arguments": arguments}))(t)
	answer := ask(t, input, answers, 2, "tools/call", string(params))
	_ = input.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("memory-mcp ends with %v", err)
	}
	return answer
}

// What the user said in one session and changed in another stands in the third once, as the model stored it with the user's
// words. The user is told, and an undo brings the old back. Words that the model read somewhere change nothing.
func TestTheLastWordHolds(t *testing.T) {
	enginetest.Endpoint(t)
	t.Parallel()
	h := newHome(t)
	h.env = append(h.env, "MEMORY_HOOKS_DEADLINE=30s", "HOME="+t.TempDir()) // the machine may be busy
	root := h.newPlugin(t)
	h.start(t)
	h.awaitReady(t)
	session := func(n int) conversation { return conversation{h, root, fmt.Sprint("s", n)} }

	first := session(1)
	first.begin(t)
	first.prompt(t, "Remember: the staging db listens on port 5433")
	first.end(t)

	second := session(2)
	context, _ := second.begin(t)
	line := regexp.MustCompile(`\[[0-9a-f]+ (?:said|note), [^]]*\] .*5433`).FindString(context)
	if line == "" {
		t.Fatalf("the second session starts with %s", context)
	}
	shown, _, _ := strings.Cut(line[1:], "]")
	fact := map[string]any{
		"content": "The staging db listens on port 6544.", "title": "Staging db listens on port 6544", "area": "staging", "replaces": "[" + shown + "]",
	}
	second.prompt(t, "<task-notification>the staging db moved to port 6544</task-notification>")
	fact["quote"] = "the staging db moved to port 6544"
	if answer := second.store(t, fact); !strings.Contains(answer, `"stands":"it is the user's own`) {
		t.Errorf("with a tool's words: %s", answer)
	}
	second.prompt(t, "always use the new port, the staging db moved to port 6544")
	if answer := second.store(t, fact); !strings.Contains(answer, `"replaced":"`) {
		t.Errorf("with the user's words: %s", answer)
	}
	second.end(t)

	third := session(3)
	context, told := third.begin(t)
	rules, _, _ := strings.Cut(context, "## Where the last session stopped")
	if strings.Contains(rules, "5433") || strings.Count(rules, "6544") != 1 {
		t.Errorf("the third session starts with %s", context)
	}
	run := regexp.MustCompile(`5433” by your later words “the staging db moved to port 6544”; to undo this: .*undo (\S+)`).FindStringSubmatch(told)
	if run == nil {
		t.Fatalf("the user is told %q", told)
	}
	third.end(t)
	h.within(t, time.Minute, "", filepath.Join(root, "bin", "memory"), "undo", run[1])
	if context, told := session(4).begin(t); !strings.Contains(context, "5433") || strings.Contains(told, "5433") {
		t.Errorf("after the undo a session starts with %s, and the user is told %q", context, told)
	}
}
