//go:build linux

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

// starts runs the hook of a session that starts in the machine's project, and returns what the model gets.
func (m *machine) starts(t *testing.T, session string) string {
	t.Helper()
	input, err := json.Marshal(map[string]string{"session_id": session, "cwd": m.dir, "hook_event_name": hookio.SessionStart, "source": "startup"})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), m.hook)
	cmd.Env, cmd.Stdin = m.environment(t), strings.NewReader(string(input))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("session-start: %v: %s", err, out)
	}
	return string(out)
}

// TestARuleIsNotInjectedOverTheRealPrograms writes one of two memories into CLAUDE.md, and takes it out again.
func TestARuleIsNotInjectedOverTheRealPrograms(t *testing.T) {
	t.Parallel()
	enginetest.Endpoint(t)
	m := newMachine(t, t.TempDir())
	const rule, other = "every migration begins with its number", "amounts are integer cents"
	for _, text := range []string{rule, other} {
		m.memory(t, "remember", "--kind", "convention", text)
	}
	var listed []struct{ ID, Content string }
	if err := json.Unmarshal([]byte(m.memory(t, "list", "--json")), &listed); err != nil {
		t.Fatal(err)
	}
	id := ""
	for _, one := range listed {
		if one.Content == rule {
			id = one.ID
		}
	}
	file := filepath.Join(m.dir, "CLAUDE.md")
	const before = "# Notes\r\n\r\nBe brief."
	if err := os.WriteFile(file, []byte(before), 0o640); err != nil {
		t.Fatal(err)
	}
	session := ""
	expect := func(when string, isInjected bool) {
		t.Helper()
		m.await(t, when, func() bool { // files are looked at once a second
			session += "s"
			text := m.starts(t, session)
			return strings.Contains(text, other) && strings.Contains(text, rule) == isInjected
		})
	}
	expect("both memories at a start", true)
	m.memory(t, "rule", id)
	if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), before+"\r\n\r\n<!--") || strings.Count(string(text), rule) != 1 {
		t.Errorf("the file is %q, %v", text, err)
	}
	expect("a start without the rule", false)
	m.memory(t, "rule", "--off", id)
	if text, err := os.ReadFile(file); err != nil || string(text) != before {
		t.Errorf("the file is %q, %v", text, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	expect("a start with the rule again", true)
}
