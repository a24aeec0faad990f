//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// recordedCursor stands in for Cursor, which could not be tried: it starts the hooks that the user's file of hooks
// registers, with inputs that were written from documents (testdata/cursor).
type recordedCursor struct {
	otherClient
	sessions int
}

// session feeds the inputs of one conversation to the hooks, and returns the context that these answer with.
func (c *recordedCursor) session(t *testing.T, prompt string, inputs ...string) string {
	t.Helper()
	c.sessions++
	id := fmt.Sprintf("5b0d6c1e-8a4f-4f1e-9d8e-%012d", c.sessions)
	var told []string
	for _, name := range slices.Concat([]string{"sessionStart", "beforeSubmitPrompt"}, inputs, []string{"afterAgentResponse", "stop", "sessionEnd"}) {
		text := string(must(os.ReadFile(filepath.Join("..", "..", "testdata", "cursor", "hook-input", name+".json"))))
		text = strings.NewReplacer("5b0d6c1e-8a4f-4f1e-9d8e-2b7f1c3a9e10", id, "/home/dev/shop", c.user.Project).Replace(text)
		if name == "beforeSubmitPrompt" {
			text = strings.Replace(text, "Remember: the staging database listens on port 6543.", prompt, 1)
		}
		told = append(told, c.fire(t, text))
	}
	return strings.Join(told, "\n")
}

// fire starts the hooks of an event as the documents say: those whose matcher fits the tool, by a shell.
func (c *recordedCursor) fire(t *testing.T, input string) (told string) {
	t.Helper()
	var event struct {
		Name string `json:"hook_event_name"`
		Tool string `json:"tool_name"`
	}
	var file struct {
		Hooks map[string][]struct{ Command, Matcher string }
	}
	for text, into := range map[string]any{input: &event, string(must(os.ReadFile(filepath.Join(c.dir, "hooks.json")))): &file} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	for _, hook := range file.Hooks[event.Name] {
		if !regexp.MustCompile(hook.Matcher).MatchString(event.Tool) {
			continue
		}
		program := c.command(t.Context(), "sh", "-c", hook.Command)
		program.Dir, program.Env = c.dir, append(program.Env, "CLAUDE_PROJECT_DIR=/elsewhere", "CURSOR_PROJECT_DIR="+c.user.Project)
		var complaint bytes.Buffer
		program.Stdin, program.Stderr = strings.NewReader(input), &complaint
		answer, err := program.Output()
		if err != nil || complaint.Len() > 0 {
			t.Errorf("%s: %v, %s", hook.Command, err, complaint.String())
		}
		var context struct {
			Context string `json:"additional_context"`
		}
		decoder := json.NewDecoder(bytes.NewReader(answer))
		if decoder.DisallowUnknownFields(); len(answer) > 0 {
			if err := decoder.Decode(&context); err != nil {
				t.Errorf("%s answers %s: %v", hook.Command, answer, err)
			}
		}
		told += context.Context
	}
	return told
}

// TestCursorsInputsAndClaudeCodeShareOneMemory is what can be tried of Cursor without it.
func TestCursorsInputsAndClaudeCodeShareOneMemory(t *testing.T) {
	requirePlugin(t)
	messages := NewFakeAPI(t)
	u := NewUser(t, messages)
	u.Write("rollout.sh", "#!/bin/sh\nreplicas=3\n")
	u.Write("Makefile", "deploy:\n")
	cursor := &recordedCursor{otherClient: otherClient{name: "cursor", dir: filepath.Join(u.Home, ".cursor"), user: u}}
	cursor.configure("hooks.json", "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"true\"}]}}\n")
	before := contents(u.Home, []string{".cursor/hooks.json", ".cursor/mcp.json"})
	if said := cursor.Memory(t.Context(), "clients", "connect", "cursor"); !strings.Contains(said, "Cursor is connected: ") {
		t.Errorf("connecting said %q", said)
	}

	cursor.session(t, "Remember: the staging database listens on port 6543.",
		"postToolUseFailure-Shell", "postToolUse-Read", "postToolUse-Write", "afterFileEdit", "afterFileEdit-new", "subagentStop", "postToolUse-Shell")
	const question = "Where were we?"
	requireGoodRun(t, u.Run(t.Context(), question), "SessionStart:startup", "UserPromptSubmit")
	requireRecalled(t, messages.RequestsWith(question)[0], map[string]string{
		"what the user said": "6543", "what failed": "quota of the staging cluster is used up", "what was edited": "rollout.sh", "what was written": "runbook.md",
	})

	requireGoodRun(t, u.Run(t.Context(), "Remember: releases are cut on Tuesdays only."), "UserPromptSubmit")
	requireToldOnce(t, []string{cursor.session(t, "Which day is a release?", "postToolUse-Read")}, "Tuesdays", "6543")

	folder := filepath.Join("projects", "p")
	cursor.configure(filepath.Join(folder, ".workspace-trusted"), fmt.Sprintf(`{"workspacePath":%q}`, u.Project))
	cursor.configure(filepath.Join(folder, "agent-transcripts", "7c1a2b3d-0e4f-4a5b-8c6d-9e0f1a2b3c4d.jsonl"),
		`{"role":"user","message":{"content":[{"type":"text","text":"<user_query>\nRemember: we never squash commits.\n</user_query>"}]}}`+"\n")
	if said := cursor.Memory(t.Context(), "import", "transcripts", "--client", "cursor"); !strings.Contains(said, "1 prompt") {
		t.Errorf("the import said %q", said)
	}
	if told := cursor.session(t, "How do we merge?"); !strings.Contains(told, "never squash") {
		t.Errorf("what was imported is not told: %s", told)
	}
	if said := cursor.Memory(t.Context(), "clients"); !regexp.MustCompile(`cursor +Cursor +connected\n`).MatchString(said) {
		t.Errorf("memory clients says %q", said)
	}
	cursor.Memory(t.Context(), "clients", "disconnect", "cursor")
	for file, content := range contents(u.Home, []string{".cursor/hooks.json", ".cursor/mcp.json"}) {
		if content != before[file] {
			t.Errorf("%s is not as it was before:\n%s", file, content)
		}
	}
	u.StopAgent()
	requireNowhere(t, u.MemoryHome, "dev@example.org") // the user's address is in each input
}
