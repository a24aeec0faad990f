package importer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// TestWhatHooksCapturedOfCodexIsNotImported: whatever threads share, the hooks of a conversation and the import of its transcript
// file it under the same session.
func TestWhatHooksCapturedOfCodexIsNotImported(t *testing.T) {
	const thread, shared = `"session_id":"01a20ad2-a069-72b0-b69d-5bac553a42aa"`, `"session_id":"01a20ad2-0000-72b0-b69d-5bac553a42aa"`
	for name, edits := range map[string][]string{
		"a session of its own":                        nil,
		"a shared session":                            {thread, shared},
		"a shared session and a subagent's subagent":  {thread, shared, `"depth":1`, `"depth":2`},
		"a subagent whose transcript names no parent": {`"parent_thread_id"`, `"other"`},
	} {
		t.Run(name, func(t *testing.T) {
			x, home, folder := newTranscriptImport(t), t.TempDir(), t.TempDir()
			edited := strings.NewReplacer(append(edits, "/home/dev/.codex/sessions/2026/11/23", filepath.ToSlash(folder))...)
			for _, one := range files(t, newSessions) {
				writeFile(t, filepath.Join(folder, filepath.Base(one)), edited.Replace(read(t, one)))
			}
			for _, one := range files(t, filepath.Join(codexSessions, "..", "hook-input")) {
				capture(t, home, edited.Replace(read(t, one)))
			}
			claims, err := spool.New(filepath.Join(home, "spool")).Claim(100)
			if err != nil || len(claims) < 10 {
				t.Fatalf("hooks have captured %d events, %v", len(claims), err)
			}
			for _, claim := range claims {
				put(t, x.daemon, claim.Event)
			}
			if _, report := x.ok(t, folder); report.Events > 0 {
				t.Errorf("imported again: %+v", report)
			}
			if got := stats(t, x.daemon).Sessions; got != 1 && len(edits) < 4 {
				t.Errorf("%d sessions", got)
			}
		})
	}
}

// capture runs the hooks as Codex does, each with the input of any event.
func capture(t *testing.T, home, input string) {
	t.Helper()
	for _, h := range []hook.Hook{hooks.SessionStart, hooks.UserPromptSubmit, hooks.PostToolUse, hooks.PostToolUseFailure, hooks.SubagentStop, hooks.PostCompact, hooks.Stop, hooks.SessionEnd} {
		var printed strings.Builder
		code := hook.Run(h, hook.Process{
			Stdin: strings.NewReader(input), Stdout: &printed, Stderr: &printed, Client: client.Codex, Executable: filepath.Join(home, "hook"),
			Now: time.Now, Past: time.Date(2026, 11, 23, 23, 52, 0, 0, time.UTC),
			Getenv: func(name string) string { return map[string]string{"MEMORY_HOME": home}[name] },
		})
		if code != 0 || printed.Len() > 0 {
			t.Errorf("%s exits with %d and prints %q", h.Name(), code, printed.String())
		}
	}
}

func files(t *testing.T, folder string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, "*.json*"))
	if err != nil || len(all) == 0 {
		t.Fatalf("%d files in %s, %v", len(all), folder, err)
	}
	return all
}

func read(t *testing.T, file string) string {
	t.Helper()
	return string(musttest.Get(os.ReadFile(file))(t))
}
