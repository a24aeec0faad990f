//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/resident"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

// steering builds, once, the programs by which people and the client steer.
var steering = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(installed, "steering")
	return dir, errors.Join(plugintest.Build(filepath.Join(dir, "libexec"), "../hooks/session-start", "../hooks/user-prompt-submit", "../hooks/session-end", "../memory-mcp"),
		plugintest.Build(filepath.Join(dir, "bin"), "../memory"))
})

// newPlugin copies the programs into a plugin that a test may change.
func (h *home) newPlugin(t *testing.T) string {
	t.Helper()
	from := musttest.Get(steering())(t)
	root := filepath.Join(t.TempDir(), "plugin")
	musttest.Do(t, plugintest.CopyPrograms(root, from))
	engineDir, err := enginetest.EngineDir()
	if err == nil {
		err = os.Symlink(engineDir, filepath.Join(root, "engine"))
	}
	if err != nil {
		t.Fatal(err)
	}
	h.memoryd = buildAnew(t, built, root)
	return root
}

// buildAnew puts a new file in the place of the plugin's memoryd.
func buildAnew(t *testing.T, from func() (programs, error), root string) string {
	t.Helper()
	original := musttest.Get(from())(t)
	content := musttest.Get(os.ReadFile(original.memoryd))(t)
	file := filepath.Join(root, "libexec", "memoryd")
	musttest.Do(t, plugintest.WriteProgram(file+".new", content))
	musttest.Do(t, os.Rename(file+".new", file))
	return file
}

// within runs a program of a plugin within the given time, in a project of its own: the checkout may hold the engine's packages, and
// no program of a project's own is handed on.
func (h *home) within(t *testing.T, limit time.Duration, stdin, program string, args ...string) string {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = h.project(t), append(h.environment(t), h.env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &said, os.Stderr
	began := time.Now()
	if err := cmd.Run(); err != nil {
		t.Errorf("%s %q: %v: %s", program, args, err, &said)
	}
	if took := time.Since(began); took > limit {
		t.Errorf("%s %q took %v, want at most %v", program, args, took, limit)
	}
	return said.String()
}

const (
	startOfSession = `{"session_id":"s","hook_event_name":"SessionStart","source":"startup","cwd":"/"}`
	// answerTime is the time limit for status and stop on a busy machine; waiting for a hanging process would never end.
	answerTime = 15 * time.Second
)

// awaitReady waits for a daemon that is not one of the given processes.
func (h *home) awaitReady(t *testing.T, others ...int) daemonapi.StatusResult {
	t.Helper()
	var status daemonapi.StatusResult
	h.await(t, "a daemon to be ready", func() bool {
		var err error
		status, err = h.status(t)
		for _, pid := range others {
			if status.PID == pid {
				return false
			}
		}
		return err == nil && status.State == "ready"
	})
	return status
}

// stamped and stampedLater build, once, a memoryd of the same version and a later stamp.
var stamped, stampedLater = sync.OnceValues(func() (programs, error) { return stampedBy(1) }), sync.OnceValues(func() (programs, error) { return stampedBy(2) })

func stampedBy(later int64) (programs, error) {
	first, err := built()
	if err != nil {
		return programs{}, err
	}
	output, err := exec.Command(first.memoryd, "--build").Output()
	if err != nil {
		return programs{}, err
	}
	var build resident.Build
	if err := json.Unmarshal(output, &build); err != nil {
		return programs{}, err
	}
	dir := filepath.Join(installed, fmt.Sprint("stamped", later))
	flags := fmt.Sprintf("-X main.version=%s -X main.stamp=%d", build.Version, build.Stamp+later)
	return programs{memoryd: filepath.Join(dir, "memoryd")}, plugintest.BuildOf(flags, dir, ".")
}

// tells sends one request for the daemon's identity from a program of a plugin.
func (h *home) tells(t *testing.T, root string) {
	t.Helper()
	client := musttest.Get(daemonclient.Dial(t.Context(), h.layout.Socket()))(t)
	defer func() { _ = client.Close() }()
	musttest.Do(t, client.Call(t.Context(), daemonapi.MethodHello.Call(daemonapi.Caller{Program: filepath.Join(root, "libexec", "memoryd")}, nil)))
}

func programOf(pid int) string {
	file, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	return file
}

// endDaemon ends the daemon that a program of ours has started.
func (h *home) endDaemon(t *testing.T) {
	t.Helper()
	if status, err := h.status(t); err == nil {
		_ = syscall.Kill(status.PID, syscall.SIGTERM)
		h.await(t, "the daemon to end", func() bool { return isGoneProcess(status.PID) })
	}
}

// TestTheNewestPluginServes: a newer plugin takes over once, though its files are older, an older one does not take it back, a
// build takes over in place, and without its folder the daemon ends. No event is lost, none is doubled.
func TestTheNewestPluginServes(t *testing.T) {
	onlyInChaos(t)
	t.Parallel()
	enginetest.Endpoint(t)
	h := newHome(t)
	older := h.newPlugin(t)
	first := h.start(t)
	ended := make(chan error, 1)
	go func() { ended <- first.cmd.Wait() }()
	t.Cleanup(func() { h.endDaemon(t) })
	h.awaitReady(t)
	newer := h.newPlugin(t)
	long := time.Now().AddDate(-10, 0, 0) // as an archive may date it
	musttest.Do(t, os.Chtimes(buildAnew(t, stamped, newer), long, long))
	for n := range 40 {
		h.spool(t, n)
	}
	h.tells(t, newer)
	musttest.Is(t, nil, <-ended, "the first daemon")
	second := h.awaitReady(t, first.cmd.Process.Pid)
	if got := programOf(second.PID); got != filepath.Join(newer, "libexec", "memoryd") {
		t.Errorf("%s serves, want the newer plugin's", got)
	}
	h.tells(t, older)
	h.tells(t, newer)
	h.within(t, time.Minute, startOfSession, filepath.Join(older, "libexec", "session-start"))
	if now := h.awaitReady(t); now.PID != second.PID {
		t.Errorf("process %d serves after the older plugin asked, want %d", now.PID, second.PID)
	}
	for n := range 40 {
		h.spool(t, 40+n)
	}
	buildAnew(t, stampedLater, newer)
	h.tells(t, newer)
	third := h.awaitReady(t, second.PID)
	h.await(t, "the events to be stored", func() bool {
		status, err := h.status(t)
		return err == nil && status.Spool == daemonapi.SpoolStatus{} && status.Store != nil
	})
	if now := h.awaitReady(t); now.Store.Prompts != 80 || now.Store.Sightings < 80 {
		t.Errorf("the store has %+v of 80 events", *now.Store)
	}
	musttest.Do(t, os.RemoveAll(newer))
	h.await(t, "daemon and engine to end", func() bool { return isGoneProcess(third.PID) && isGoneProcess(third.Engine.PID) })
}

// TestADaemonThatHangsWhileItEndsIsEnded stops a daemon that is already ending.
func TestADaemonThatHangsWhileItEndsIsEnded(t *testing.T) {
	onlyInChaos(t)
	t.Parallel()
	enginetest.Endpoint(t)
	h := newHome(t)
	cli := filepath.Join(h.newPlugin(t), "bin", "memory")
	h.start(t)
	last := h.awaitReady(t)
	frozen := make(chan bool, 1)
	go func() {
		ticker := time.NewTicker(time.Millisecond)
		defer ticker.Stop()
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-ticker.C {
			if log, err := os.ReadFile(h.layout.DaemonLog()); err == nil && strings.Contains(string(log), "the daemon ends") {
				frozen <- syscall.Kill(last.PID, syscall.SIGSTOP) == nil
				return
			}
		}
		frozen <- false
	}()
	h.within(t, answerTime, "", cli, "daemon", "stop")
	if !<-frozen {
		t.Error("the daemon was not told to end")
	}
	h.await(t, "daemon and engine to end", func() bool { return isGoneProcess(last.PID) && isGoneProcess(last.Engine.PID) })
}

// TestADaemonThatHangsIsReplaced stops processes, which then neither end nor answer.
func TestADaemonThatHangsIsReplaced(t *testing.T) {
	t.Parallel()
	enginetest.Endpoint(t)
	h := newHome(t)
	root := h.newPlugin(t)
	hook, cli := filepath.Join(root, "libexec", "session-start"), filepath.Join(root, "bin", "memory")
	h.start(t)
	t.Cleanup(func() { h.endDaemon(t) })
	hung := h.awaitReady(t)
	freeze(t, hung.PID)
	if said := h.within(t, answerTime, "", cli, "status"); !strings.Contains(said, "hanging") || !strings.Contains(said, strconv.Itoa(hung.PID)) {
		t.Errorf("the status of a daemon that hangs is %s", said)
	}
	h.within(t, time.Minute, startOfSession, hook)
	if isGoneProcess(hung.PID) {
		t.Error("a daemon that has just beaten is replaced")
	}
	long := time.Now().Add(-20 * time.Second)
	musttest.Do(t, os.Chtimes(h.layout.Heartbeat(), long, long))
	h.await(t, "a start of a session to replace the daemon that hangs", func() bool {
		h.within(t, time.Minute, startOfSession, hook) // a busy machine has hooks give up
		return isGoneProcess(hung.PID)
	})
	second := h.awaitReady(t, hung.PID)
	if !isGoneProcess(hung.PID) || !isGoneProcess(hung.Engine.PID) {
		t.Error("the daemon that hangs is still there, or its engine is")
	}

	started := strings.Replace(startOfSession, `"cwd":"/"`, `"cwd":`+strconv.Quote(h.project(t)), 1)
	h.within(t, time.Minute, "", cli, "remember", "--kind", "convention", "tabs", "indent", "the", "code")
	h.within(t, time.Minute, "", cli, "daemon", "ingest")
	h.await(t, "a session that starts with the convention", func() bool {
		return strings.Contains(h.within(t, time.Minute, started, hook), "tabs indent the code") // a busy machine has hooks give up
	})
	freeze(t, second.Engine.PID)
	// The store accepts nothing now: the session gets memories from the daemon's copy, and their injection cannot be recorded.
	h.await(t, "a start of a session while the engine hangs", func() bool {
		unrecorded := strings.Replace(started, `"s"`, `"unrecorded"`, 1)
		return strings.Contains(h.within(t, time.Minute, unrecorded, hook), "tabs indent the code")
	})
	// On a busy machine the engine was found to hang, and started again, before the status is read.
	if said := h.within(t, answerTime, "", cli, "status"); !strings.Contains(said, "ready") && !strings.Contains(said, "not answer") {
		t.Errorf("the status with an engine that hangs is %s", said)
	}
	h.within(t, answerTime, "", cli, "daemon", "stop")
	// The command waits for the daemon's lock; the processes end just after it.
	h.await(t, "daemon and engine to end after memory daemon stop", func() bool { return isGoneProcess(second.PID) && isGoneProcess(second.Engine.PID) })

	h.within(t, time.Minute, "", cli, "daemon", "start")
	third := h.awaitReady(t)
	freeze(t, third.PID)
	h.within(t, answerTime, "", cli, "daemon", "stop")
	h.await(t, "daemon and engine to end", func() bool { return isGoneProcess(third.PID) && isGoneProcess(third.Engine.PID) })
}

// A session is told that a daemon without Node.js, as an IDE may start it, and no network to get it from, needs it.
func TestASessionIsToldThatNodeIsMissing(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.env = []string{"PATH=" + t.TempDir()}
	hook := filepath.Join(h.newPlugin(t), "libexec", "session-start")
	a := h.start(t)
	h.await(t, "the daemon to miss its engine", func() bool {
		status, err := h.status(t)
		return err == nil && status.State == "waiting" && status.Trouble != nil && strings.Contains(status.Trouble.Problem, "Node.js")
	})
	if said := h.within(t, time.Minute, startOfSession, hook); !strings.Contains(said, "install Node.js") || !strings.Contains(said, "systemMessage") {
		t.Errorf("a session without Node.js is told %q", said)
	}
	a.stop(t)
}

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
	musttest.Is(t, nil, cmd.Wait(), "memory-mcp")
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
	fact := map[string]any{"content": "The staging db listens on port 6544.", "title": "Staging db listens on port 6544", "area": "staging", "replaces": "[" + shown + "]"}
	second.prompt(t, "<task-notification>the staging db moved to port 6544</task-notification>")
	fact["quote"] = "the staging db moved to port 6544"
	if answer := second.store(t, fact); !strings.Contains(answer, `"stands":"it is the user's own`) {
		t.Errorf("with a tool's words: %s", answer)
	}
	second.prompt(t, "always use the new port. the staging db moved to port 6544")
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
