package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

// DummyKey is the API key of every client. Nothing that the plugin keeps may contain it.
const DummyKey = "e2e-dummy-not-a-key-4f1d"

const (
	runLimit  = 2 * time.Minute  // limit of one client process with its hooks
	stopLimit = 10 * time.Second // limit for the daemon and its engine to end after the request to stop
	tailBytes = 1500             // bytes shown of the end of each file when a test fails
)

// ErrNoClient means that a pinned client is not installed.
var ErrNoClient = errors.New("a pinned Claude Code client is not installed: run npm ci in scripts/e2e/client and client-old")

// The directories in which npm installs the pinned clients.
const (
	currentClient = "client"
	olderClient   = "client-old"
)

// ClientBinary returns the path of the installed client for this machine. It needs no Node.
func ClientBinary() (string, error) { return clientIn(currentClient) }

// OlderClientBinary returns the path of the installed older client, which loads no plugin with an unknown event.
func OlderClientBinary() (string, error) { return clientIn(olderClient) }

func clientIn(dir string) (string, error) {
	system := map[string]string{"windows": "win32"}[runtime.GOOS]
	if system == "" {
		system = runtime.GOOS
	}
	machine := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if machine == "" {
		machine = runtime.GOARCH
	}
	// npm installs the one package whose libc fits, so at most one of "-x64" and "-x64-musl" is there.
	pattern := filepath.Join(dir, "node_modules", "@anthropic-ai", "claude-code-"+system+"-"+machine+"*", "claude*")
	for _, found := range must(filepath.Glob(pattern)) {
		return filepath.Abs(found)
	}
	return "", fmt.Errorf("%w: nothing in %s", ErrNoClient, dir)
}

// PluginDir returns the directory of the plugin under test. Tests run in the directory of their package.
func PluginDir() string { return must(filepath.Abs(filepath.Join("..", "..", "plugin"))) }

// User is a person who uses Claude Code with the plugin: a home, a configuration and one project, all in the test's
// temporary directory. Each run of the client is a session of its own.
type User struct {
	Home       string
	Config     string // CLAUDE_CONFIG_DIR
	Project    string // a git repository
	MemoryHome string // the folder of all the plugin's files, by its own default
	Plugin     string
	Binary     string   // path of the client
	Env        []string // further NAME=value for the client and its children

	t       testing.TB
	api     *FakeAPI
	runs    int
	stopped bool
}

// NewUser creates a user with an empty project, whose model is api. When the test ends, it stops the user's daemon,
// and fails the test if a process is left.
func NewUser(t testing.TB, api *FakeAPI) *User {
	t.Helper()
	binary, err := ClientBinary()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	u := &User{
		Home:    filepath.Join(root, "home"),
		Config:  filepath.Join(root, "config"),
		Project: filepath.Join(root, "project"),
		Plugin:  PluginDir(),
		Binary:  binary,
		t:       t, api: api,
	}
	u.MemoryHome = filepath.Join(u.Config, "surrealdb-memory")
	for _, dir := range []string{u.Home, u.Config, u.Project} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	git := exec.CommandContext(t.Context(), "git", "init", "--quiet", u.Project)
	git.Env = u.environment()
	if output, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, output)
	}
	t.Cleanup(u.StopDaemon)
	return u
}

// environment returns the whole environment of the client and its children. It takes only PATH from the environment
// of the test.
func (u *User) environment() []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"),
		"LANG=C.UTF-8",
		"TERM=xterm",
		"SHELL=/bin/bash",
		"HOME=" + u.Home,
		"CLAUDE_CONFIG_DIR=" + u.Config,
		enginetest.Setting(),
		enginetest.NoRegistry,
		"CLAUDE_CODE_TMPDIR=" + filepath.Dir(u.Home),
		"ANTHROPIC_BASE_URL=" + u.api.URL(),
		"ANTHROPIC_API_KEY=" + DummyKey,
		"DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
		"DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"CLAUDE_CODE_DISABLE_AUTO_MEMORY=1",
	}, u.Env...)
}

// Write writes a file of the project.
func (u *User) Write(name, content string) {
	u.t.Helper()
	if err := os.WriteFile(filepath.Join(u.Project, name), []byte(content), 0o600); err != nil {
		u.t.Fatal(err)
	}
}

// Remove deletes a file of the project.
func (u *User) Remove(name string) {
	u.t.Helper()
	if err := os.Remove(filepath.Join(u.Project, name)); err != nil {
		u.t.Fatal(err)
	}
}

// Result is the outcome of one client process.
type Result struct {
	ExitCode  int
	Elapsed   time.Duration
	SessionID string   // the last session
	Sessions  []string // all sessions, in the order in which their hooks started
	Answer    string   // the final text, as the client reports it
	Lines     []json.RawMessage
	Hooks     []HookRun
	Stdout    string // path of a file, like the next two fields
	Stderr    string
	DebugLog  string
}

// HookRun is one run of one hook, as the client saw it.
type HookRun struct {
	Event    string // for example PostToolUse
	Name     string // the event with its match: PostToolUse:Bash
	Outcome  string // success, or the failure; "unfinished" if the client reported no end
	ExitCode int
	Stdout   string // empty for SessionEnd, PreCompact, PostCompact, whose output is unknown
	Stderr   string // unknown for the same events
}

// Run runs one headless session: a new client process with the plugin, one prompt, and further arguments. It fails
// the test at once if the client cannot be started or does not end in time; other failures are in the result.
func (u *User) Run(ctx context.Context, prompt string, args ...string) Result {
	u.t.Helper()
	return u.headless(ctx, nil, append([]string{"-p", prompt}, args...))
}

// Chat is Run with several prompts for one client process. Each prompt is sent when the previous one has been
// answered.
func (u *User) Chat(ctx context.Context, prompts []string, args ...string) Result {
	u.t.Helper()
	return u.headless(ctx, prompts, append([]string{"-p", "--input-format", "stream-json"}, args...))
}

func (u *User) headless(ctx context.Context, prompts, args []string) Result {
	u.t.Helper()
	debugLog := u.newDebugLog()
	result := u.claude(ctx, prompts, append(args,
		"--plugin-dir", u.Plugin,
		"--output-format", "stream-json", "--verbose", "--include-hook-events", "--debug-file", debugLog,
	))
	result.DebugLog = debugLog
	if err := result.parse(); err != nil {
		u.t.Fatalf("%q: %v", args, err)
	}
	return result
}

// newDebugLog returns the path of the debug log of the next client process with the plugin.
func (u *User) newDebugLog() string {
	u.runs++
	debugLog := filepath.Join(filepath.Dir(u.Home), fmt.Sprintf("run%d-debug.log", u.runs))
	u.showOnFailure(debugLog)
	return debugLog
}

// Claude runs the client in the project, with these arguments only.
func (u *User) Claude(ctx context.Context, args ...string) Result {
	u.t.Helper()
	return u.claude(ctx, nil, args)
}

func (u *User) claude(ctx context.Context, prompts, args []string) Result {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()

	// Files, not pipes: a child that outlives the client must not block the test.
	stdout, err := os.CreateTemp(filepath.Dir(u.Home), "stdout-*")
	if err != nil {
		u.t.Fatal(err)
	}
	defer func() { _ = stdout.Close() }()
	stderr, err := os.CreateTemp(filepath.Dir(u.Home), "stderr-*")
	if err != nil {
		u.t.Fatal(err)
	}
	defer func() { _ = stderr.Close() }()
	u.showOnFailure(stderr.Name())

	client := exec.CommandContext(ctx, u.Binary, args...)
	client.Dir, client.Env = u.Project, u.environment()
	client.Stdout, client.Stderr = stdout, stderr
	stdin, err := client.StdinPipe()
	if err != nil {
		u.t.Fatal(err)
	}
	started := time.Now()
	if err = client.Start(); err == nil {
		chatted := make(chan error, 1)
		go func() { chatted <- chat(ctx, stdin, stdout.Name(), prompts) }()
		err = client.Wait()
		cancel() // no answer will come any more
		if chatErr := <-chatted; err == nil && chatErr != nil {
			u.t.Fatalf("claude %q: %v", args, chatErr)
		}
	}
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || time.Since(started) >= runLimit) {
		u.t.Fatalf("claude %q: %v after %v", args, err, time.Since(started))
	}
	return Result{
		ExitCode: client.ProcessState.ExitCode(), Elapsed: time.Since(started),
		Stdout: stdout.Name(), Stderr: stderr.Name(),
	}
}

// chat sends each prompt when the client's output has the answer to the previous one, and then closes the input.
func chat(ctx context.Context, stdin io.WriteCloser, output string, prompts []string) error {
	defer func() { _ = stdin.Close() }()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for i, prompt := range prompts {
		line := must(json.Marshal(map[string]any{
			"type": "user", "message": map[string]string{"role": "user", "content": prompt},
		}))
		if _, err := stdin.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("send prompt %d: %w", i+1, err)
		}
		for answered := 0; answered <= i; {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return fmt.Errorf("prompt %d was not answered: %w", i+1, ctx.Err())
			}
			content, err := os.ReadFile(output)
			if err != nil {
				return fmt.Errorf("read the client's output: %w", err)
			}
			answered = len(resultLine.FindAll(content, -1))
		}
	}
	return nil
}

// resultLine matches the line that ends an answer. The client does not order its fields.
var resultLine = regexp.MustCompile(`(?m)^\{.*"type":"result".*\}$`)

// streamLine has the fields of the client's stream-json lines that the tests look at.
type streamLine struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	SessionID string `json:"session_id"`
	Result    string `json:"result"`

	HookID   string `json:"hook_id"`
	Event    string `json:"hook_event"`
	Name     string `json:"hook_name"`
	Outcome  string `json:"outcome"`
	ExitCode int    `json:"exit_code"`
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
}

func (r *Result) parse() error {
	output, err := os.ReadFile(r.Stdout)
	if err != nil {
		return fmt.Errorf("read the client's output: %w", err)
	}
	runs := map[string]int{} // index in r.Hooks, by hook_id
	for _, raw := range bytes.Split(bytes.TrimSpace(output), []byte("\n")) {
		var line streamLine
		if err := json.Unmarshal(raw, &line); err != nil {
			return fmt.Errorf("decode a line of the client's output: %w: %.200s", err, raw)
		}
		r.Lines = append(r.Lines, raw)
		switch {
		case line.Type == "result":
			r.SessionID, r.Answer = line.SessionID, line.Result
		case line.Subtype == "hook_started":
			runs[line.HookID] = len(r.Hooks)
			if line.SessionID != "" && !slices.Contains(r.Sessions, line.SessionID) {
				r.Sessions = append(r.Sessions, line.SessionID)
			}
			r.Hooks = append(r.Hooks, HookRun{Event: line.Event, Name: line.Name, Outcome: "unfinished", ExitCode: -1})
		case line.Subtype == "hook_response":
			place, started := runs[line.HookID]
			if !started {
				return fmt.Errorf("hook %s answered and was never started", line.Name)
			}
			run := &r.Hooks[place]
			run.Outcome, run.ExitCode, run.Stdout, run.Stderr = line.Outcome, line.ExitCode, line.Stdout, line.Stderr
		}
	}
	return r.parseUnstreamed()
}

var unstreamed = regexp.MustCompile(`(?m) ((SessionEnd|PreCompact|PostCompact):\S+) \[.*\] (.+)$`)

// parseUnstreamed adds the hooks that stream-json never shows: the hooks of a session's end and of a compaction. Only
// the debug log has them, and the hooks of a compaction only if the client started it automatically.
func (r *Result) parseUnstreamed() error {
	debug, err := os.ReadFile(r.DebugLog)
	if err != nil {
		return fmt.Errorf("read the client's debug log: %w", err)
	}
	for _, match := range unstreamed.FindAllStringSubmatch(string(debug), -1) {
		run := HookRun{Event: match[2], Name: match[1], Outcome: match[3], ExitCode: -1}
		if _, err := fmt.Sscanf(match[3], "completed with status %d", &run.ExitCode); err == nil && run.ExitCode == 0 {
			run.Outcome = "success"
		}
		r.Hooks = append(r.Hooks, run)
	}
	return nil
}

// FailedHooks returns the runs that did not succeed.
func (r Result) FailedHooks() []HookRun {
	return slices.DeleteFunc(slices.Clone(r.Hooks), func(h HookRun) bool {
		return h.Outcome == "success" && h.ExitCode == 0
	})
}

// HookNames returns the names of the hooks that ran, in the order in which they started.
func (r Result) HookNames() []string {
	names := make([]string, 0, len(r.Hooks))
	for _, run := range r.Hooks {
		names = append(names, run.Name)
	}
	return names
}

// StopDaemon stops the daemon with the product's own command, and fails the test unless the daemon, its engine and
// all other processes of this user end soon. NewUser calls it when the test ends; a test may call it earlier.
func (u *User) StopDaemon() {
	u.t.Helper()
	if u.stopped || u.runs == 0 {
		return
	}
	u.stopped = true
	u.showOnFailure(must(filepath.Glob(filepath.Join(u.MemoryHome, "logs", "*")))...)

	known := u.daemonProcesses()
	// The test's own context has ended when cleanups run.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(u.t.Context()), stopLimit)
	defer cancel()
	stop := exec.CommandContext(ctx, filepath.Join(u.Plugin, "bin", "memory"), "daemon", "stop")
	stop.Dir, stop.Env = u.Project, append(u.environment(), "MEMORY_HOME="+u.MemoryHome)
	if output, err := stop.CombinedOutput(); err != nil {
		u.t.Errorf("memory daemon stop: %v\n%s", err, output)
	}
	left := awaitGone(ctx, func() []int {
		return slices.Concat(known, processesWith("CLAUDE_CONFIG_DIR="+u.Config, "MEMORY_HOME="+u.MemoryHome, "HOME="+u.Home))
	})
	for _, pid := range left {
		u.t.Errorf("still running %v after the request to stop: %s", stopLimit, describe(pid))
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill() // the test has failed; the process must only be gone
		}
	}
}

// daemonProcesses returns the process ids of the daemon and its engine, from their files.
func (u *User) daemonProcesses() []int {
	u.t.Helper()
	var pids []int
	daemon, err := os.ReadFile(filepath.Join(u.MemoryHome, "run", "memoryd.pid"))
	if err != nil {
		u.t.Errorf("the daemon left no pid: %v", err)
	} else if pid, err := strconv.Atoi(strings.TrimSpace(string(daemon))); err != nil {
		u.t.Errorf("the daemon's pid file: %v", err)
	} else {
		pids = append(pids, pid)
	}

	var engine struct {
		PID int `json:"pid"`
	}
	if file, err := os.ReadFile(filepath.Join(u.MemoryHome, "run", "engine.json")); err != nil {
		u.t.Errorf("the engine left no pid: %v", err)
	} else if err := json.Unmarshal(file, &engine); err != nil || engine.PID == 0 {
		u.t.Errorf("the engine's run file has no pid: %v: %s", err, file)
	} else {
		pids = append(pids, engine.PID)
	}
	for _, pid := range pids {
		if !alive(pid) {
			u.t.Errorf("process %d of the daemon or its engine died before it was asked to stop", pid)
		}
	}
	return pids
}

// showOnFailure logs the ends of these files if the test has failed. Cleanups run before the directory is deleted.
func (u *User) showOnFailure(paths ...string) {
	u.t.Cleanup(func() {
		if !u.t.Failed() {
			return
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil || len(content) == 0 {
				continue
			}
			u.t.Logf("--- %s (end):\n%s", filepath.Base(path), content[max(0, len(content)-tailBytes):])
		}
	})
}

// must returns value. It panics on an error, which only a mistake in the source can cause.
func must[T any](value T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("e2e: %v", err))
	}
	return value
}
