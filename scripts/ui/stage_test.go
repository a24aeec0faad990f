//go:build ui

// Package ui drives the dashboard with a real browser: the plugin's programs as they
// are built, a real engine, hooks as the client runs them, and headless Chromium.
package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stage is a home with a daemon, and a project whose sessions are played.
type stage struct {
	t             *testing.T
	plugin        string
	home, project string
	environment   []string
	opened        string // where the stand-in for xdg-open notes the file that it is to open
}

// opener stands in for the system's xdg-open.
const opener = "#!/bin/sh\nprintf %s \"$1\" > \"$OPENED.part\" && mv \"$OPENED.part\" \"$OPENED\"\n"

// client stands in for Claude Code where the model is asked: it prints the client's result, with a summary
// and one fact about the session that is played.
const client = `#!/bin/sh
cat > /dev/null
printf %s '{"type":"result","total_cost_usd":0.0031,"usage":{"input_tokens":2914,"output_tokens":412},"structured_output":{
"summary":{"request":"Whether a booking that times out is retried","investigated":"booking/retry.go","learned":"A booking that times out may be stored all the same","completed":"The retry loop is gone; a booking is looked up first","next_steps":""},
"facts":[{"text":"Bookings are cancelled, never deleted, and looked up by their id before a change","title":"Bookings are cancelled, never deleted","area":"booking","kind":"convention","quotes":["Never delete a booking, cancel it instead."],"cues":["delete a booking","change a booking","clean up old bookings"],"importance":3,"everywhere":false,"about":"","relation":"","ends":[]}]}}'
`

func newStage(t *testing.T) *stage {
	t.Helper()
	plugin, err := filepath.Abs("../../plugin")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := &stage{t: t, plugin: plugin, home: filepath.Join(dir, "memory"), project: filepath.Join(dir, "harbour"), opened: filepath.Join(dir, "opened")}
	for _, folder := range []string{s.project, filepath.Join(dir, "home"), filepath.Join(dir, "bin")} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "xdg-open"), []byte(opener), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "claude"), []byte(client), 0o700); err != nil {
		t.Fatal(err)
	}
	engine, err := filepath.Abs("../../.build/engine")
	if err != nil {
		t.Fatal(err)
	}
	s.environment = []string{
		"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "OPENED=" + s.opened, "HOME=" + filepath.Join(dir, "home"), "CLAUDE_CONFIG_DIR=" + filepath.Join(dir, "claude"), "TZ=UTC",
		"MEMORY_HOME=" + s.home, "CLAUDE_PLUGIN_ROOT=" + plugin, "CLAUDE_PROJECT_DIR=" + s.project, "MEMORY_ENGINE_DIR=" + engine,
	}
	t.Cleanup(func() { s.memory("daemon", "stop") })
	return s
}

// memory runs the CLI in the project and returns what it printed.
func (s *stage) memory(args ...string) string {
	s.t.Helper()
	return s.run(filepath.Join(s.plugin, "bin", "memory"), nil, args...)
}

// entry is the file that memory open gives to the browser in a terminal, which stays open
// until the stand-in for the browser has noted it.
func (s *stage) entry() string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	terminal := exec.CommandContext(ctx, "script", "-qec", filepath.Join(s.plugin, "bin", "memory")+" open; cat", "/dev/null")
	terminal.Env, terminal.Dir = s.environment, s.project
	var out bytes.Buffer
	terminal.Stdout, terminal.Stderr = &out, &out
	keyboard, err := terminal.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := terminal.Start(); err != nil {
		s.t.Fatal(err)
	}
	var file []byte
	for ctx.Err() == nil && file == nil {
		file, _ = os.ReadFile(s.opened)
	}
	_ = keyboard.Close()
	if err := terminal.Wait(); err != nil || file == nil {
		s.t.Fatalf("memory open starts no browser: %v\n%s", err, out.String())
	}
	return string(file)
}

// hook runs a hook program as the client does.
func (s *stage) hook(name, session string, fields map[string]any) string {
	s.t.Helper()
	input := map[string]any{"session_id": session, "cwd": s.project, "transcript_path": filepath.Join(s.home, "none.jsonl"), "permission_mode": "default"}
	for key, value := range fields {
		input[key] = value
	}
	data, err := json.Marshal(input)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.run(filepath.Join(s.plugin, "libexec", name), data)
}

// prompt plays what a user types in a session.
func (s *stage) prompt(session, text string) string {
	s.t.Helper()
	return s.hook("user-prompt-submit", session, map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": text})
}

func (s *stage) run(program string, input []byte, args ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // also while the test ends
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env, cmd.Dir, cmd.Stdin = s.environment, s.project, bytes.NewReader(input)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("%s %s: %v\n%s%s", filepath.Base(program), strings.Join(args, " "), err, out.String(), problems.String())
	}
	return out.String()
}

// line is a line of an export.
type line map[string]any

// bring imports memories and sessions of the last weeks, as an export holds them.
func (s *stage) bring(lines []line) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "export.jsonl")
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	for _, one := range append([]line{{"format": "surrealdb-memory", "version": 1, "project": s.project}}, lines...) {
		if err := encoder.Encode(one); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.memory("import", "export", file)
}

// told is a memory of an export: what somebody said some days ago.
func (s *stage) told(daysAgo int, kind, kindOfFading, source, text string, importance float64, more line) line {
	at := time.Now().UTC().Add(-time.Duration(daysAgo)*24*time.Hour - time.Duration(len(text))*time.Minute)
	m := line{
		"project": s.project, "scope": "project", "type": kindOfFading, "kind": kind, "status": "active", "source": source, "content": text,
		"importance": importance, "user_written": source == "user", "created_at": at, "last_seen_at": at, "session": fmt.Sprintf("session-%02d", daysAgo),
	}
	for key, value := range more {
		m[key] = value
	}
	return line{"kind": "memory", "memory": m}
}

// session is a session of an export, some days ago.
func (s *stage) session(daysAgo int, request, completed string) line {
	at := time.Now().UTC().Add(-time.Duration(daysAgo)*24*time.Hour - time.Duration(len(request))*time.Minute)
	end := at.Add(20 * time.Minute)
	return line{"kind": "session", "session": line{
		"id": fmt.Sprintf("session-%02d-%d", daysAgo, len(request)), "project": s.project, "dir": s.project, "source": "startup", "state": "completed",
		"started_at": at, "last_event_at": end, "state_at": end, "ended_at": end,
		"summary": line{"text": at.Format("2006-01-02 15:04") + " UTC: " + request, "digest": line{"request": request, "completed": completed}},
	}}
}
