//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal/terminaltest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// conversation is a client on a terminal, as a person has it.
type conversation struct {
	t        *testing.T
	terminal *os.File
	client   *exec.Cmd
	config   string // CLAUDE_CONFIG_DIR
	debugLog string
	gone     chan struct{}

	mu     sync.Mutex
	screen bytes.Buffer
}

// talk starts an interactive client on a pseudo terminal, past all that it asks a new user. It is ended with the test.
func (u *User) talk(ctx context.Context, t *testing.T) *conversation {
	t.Helper()
	mine, theirs, err := terminaltest.Open()
	if err != nil {
		t.Skipf("the client needs a terminal for this: %v", err)
	}
	settings := map[string]any{
		"hasCompletedOnboarding": true, "lastOnboardingVersion": "2.1.329", "theme": "dark", "numStartups": 5,
		"customApiKeyResponses": map[string]any{"approved": []string{DummyKey[len(DummyKey)-20:]}, "rejected": []string{}},
		"projects":              map[string]any{u.Project: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
	}
	musttest.Do(t, os.WriteFile(filepath.Join(u.Config, ".claude.json"), must(json.Marshal(settings)), 0o600))
	c := &conversation{t: t, terminal: mine, config: u.Config, debugLog: u.newDebugLog(), gone: make(chan struct{})}
	c.client = exec.CommandContext(ctx, u.Binary, "--plugin-dir", u.Plugin, "--debug-file", c.debugLog,
		"--permission-mode", "default", "--allowedTools", "Agent")
	c.client.Dir, c.client.Env = u.Project, u.environment()
	terminaltest.On(c.client, theirs)
	musttest.Do(t, c.client.Start())
	_ = theirs.Close()
	read := make(chan struct{})
	go func() { defer close(read); c.read() }()
	go func() { defer close(c.gone); _ = c.client.Wait() }() // ended by a signal, which is an error
	t.Cleanup(func() {
		c.end()
		_ = mine.Close()
		<-read
		if t.Failed() {
			t.Logf("--- the screen (end):\n%s", c.shown(tailBytes))
		}
	})
	return c
}

// read reads the client's output and answers its query for the terminal's capabilities.
func (c *conversation) read() {
	buffer := make([]byte, 1<<16)
	for {
		n, err := c.terminal.Read(buffer)
		c.mu.Lock()
		c.screen.Write(buffer[:n])
		c.mu.Unlock()
		if bytes.Contains(buffer[:n], []byte("\x1b[c")) {
			_, _ = io.WriteString(c.terminal, "\x1b[?62;c")
		}
		if err != nil { // the client is gone, or the test has closed the terminal
			return
		}
	}
}

func (c *conversation) shown(limit int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.screen.Bytes()[max(0, c.screen.Len()-limit):])
}

// logged is how often the debug log has a piece.
func (c *conversation) logged(piece string) int {
	content, err := os.ReadFile(c.debugLog)
	if err != nil {
		return 0
	}
	return strings.Count(string(content), piece)
}

// typed sends a line: the text, and the key that ends it when the text is on the screen.
func (c *conversation) typed(line, shown string) {
	c.t.Helper()
	c.mu.Lock()
	before := c.screen.Len()
	c.mu.Unlock()
	musttest.Get(io.WriteString(c.terminal, line))(c.t)
	await(c.t, 10*time.Second, "the typed text on the screen", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return bytes.Contains(c.screen.Bytes()[before:], []byte(shown))
	})
	musttest.Get(io.WriteString(c.terminal, "\r"))(c.t)
}

// end ends the client as closing its window would, and waits for it.
func (c *conversation) end() {
	_ = c.client.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.gone:
	case <-time.After(stopLimit):
		c.t.Errorf("the client did not end within %v of SIGTERM", stopLimit)
		_ = c.client.Process.Kill()
		<-c.gone
	}
}

const idleDone = "Hooks: TeammateIdle"

func TestIdleTeammate(t *testing.T) {
	for _, test := range []struct {
		name     string
		env      []string
		idles    int // how often the teammate is idle
		requests int // of the teammate
	}{
		{"maintenance runs", nil, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, api := newUser(t)
			u.Env = test.env
			u.memory(t, nil, "config", "set", "hooks.teammate_idle.interval", "1s")
			u.Run(t.Context(), remembered)
			u.Run(t.Context(), "Remember: all services are deployed on Tuesdays.")
			// The end of a session has maintenance run, too, and then not again for the interval, in
			// which a quick teammate may be idle for the last time.
			ended := time.Now()
			await(t, 9*time.Second, "the daemon to settle, and the interval to pass", func() bool { return time.Since(ended) > 4*time.Second })
			u.Env = append(u.Env, "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS=1")
			const task = "On which port does the staging database listen? SCRIPT:mate"
			api.Script("team",
				Call("Agent", map[string]any{
					"description": "Look", "prompt": task, "subagent_type": "general-purpose", "name": "mate",
				}),
				Say("I have a teammate."), Say("Noted."), Say("Noted again."))
			api.Script("mate", Say("The mate looked at the port."), Say("The mate looked at the memories."))

			c := u.talk(t.Context(), t)
			await(t, 20*time.Second, "the session to start", func() bool { return c.logged("SessionStart:startup") > 0 })
			c.typed("SCRIPT:team please", "SCRIPT:team")
			await(t, 20*time.Second, "the teammate to be idle", func() bool { return c.logged(idleDone) >= test.idles })
			await(t, 10*time.Second, "maintenance", func() bool {
				var runs []memory.Run
				u.memory(t, &runs, "daemon", "runs", "--limit", "100")
				ran := map[string]bool{}
				for _, run := range runs {
					if run.Error != "" {
						t.Errorf("maintenance was %+v", run)
					}
					ran[run.Job] = ran[run.Job] || run.Trigger == "idle"
				}
				return !slices.ContainsFunc(schedule.JobNames(), func(job string) bool { return !ran[job] && job != schedule.Prune })
			})
			c.end()

			requests := api.RequestsWith("SCRIPT:mate")
			musttest.Same(t, test.requests, len(requests), "how many requests the teammate made")
			last := requests[len(requests)-1]
			musttest.Same(t, 1, count(last.Injected("SubagentStart"), fact), "how often the teammate was told the fact: %q", last.MemoryBlocks())

			session := c.session()
			record := u.stored(t, session)
			musttest.Same(t, []string{"1 SCRIPT:team please"}, texts(record.Prompts), "the prompts")
			reports := slices.DeleteFunc(sessionEvents(record, memory.EventSubagentReported), func(text string) bool { return !strings.HasPrefix(text, "The mate looked") })
			musttest.Same(t, test.requests, len(reports), "how many reports of the teammate are stored: %q", reports)
			requireNoRecallStored(t, record)
		})
	}
}

// session is the id of the session, by the name of its transcript.
func (c *conversation) session() string {
	c.t.Helper()
	pattern := filepath.Join(c.config, "projects", "*", "*.jsonl")
	newest, at := "", time.Time{}
	await(c.t, 20*time.Second, "a transcript like "+pattern, func() bool { // the client writes it late
		for _, file := range must(filepath.Glob(pattern)) {
			if info, err := os.Stat(file); err == nil && info.ModTime().After(at) {
				newest, at = file, info.ModTime()
			}
		}
		return newest != ""
	})
	return strings.TrimSuffix(filepath.Base(newest), ".jsonl")
}
