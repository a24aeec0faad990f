package hooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/posttooluse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/posttoolusefailure"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/sessionend"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/sessionstart"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/setup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/userpromptsubmit"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// served are the hooks by the directory of their package.
var served = map[string]hook.Hook{
	"setup":              setup.Hook,
	"sessionstart":       sessionstart.Hook,
	"userpromptsubmit":   userpromptsubmit.Hook,
	"posttooluse":        posttooluse.Hook,
	"posttoolusefailure": posttoolusefailure.Hook,
	"sessionend":         sessionend.Hook,
}

const (
	repository = "../.."
	// patience is far beyond what any hook may take: a test that waits that long
	// has failed.
	patience = 30 * time.Second
)

// libexec holds the hook programs as they are shipped, without memoryd.
var libexec string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "hooks")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	libexec = filepath.Join(dir, "libexec")
	build := exec.Command("go", "build", "-o", libexec+string(filepath.Separator), "./apps/hooks/...")
	build.Dir = repository
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the hook programs: %v\n%s", err, out)
		return 1
	}
	code := m.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// world is what surrounds one hook: its home, its project, its environment.
type world struct {
	base    string
	plugin  string // without any program but what a test puts there
	project string // a repository whose origin is github.com/acme/rocket
	env     map[string]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	// t.TempDir is too long a path for a socket.
	base, err := os.MkdirTemp("", "w")
	if err == nil {
		base, err = filepath.EvalSymlinks(base)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	w := &world{base: base, plugin: filepath.Join(base, "plugin"), project: filepath.Join(base, "project")}
	w.env = map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": filepath.Join(base, "user"), "TMPDIR": filepath.Join(base, "tmp"),
		"MEMORY_HOME": filepath.Join(base, "home"), "CLAUDE_PROJECT_DIR": w.project,
	}
	makeDirs(t, w.env["HOME"], w.env["TMPDIR"], filepath.Join(w.plugin, "libexec"))
	writeFile(t, filepath.Join(w.project, ".git", "HEAD"), "ref: refs/heads/main\n")
	writeFile(t, filepath.Join(w.project, ".git", "config"), "[remote \"origin\"]\n\turl = git@github.com:acme/rocket.git\n")
	return w
}

func (w *world) layout() paths.Layout {
	return paths.FromEnv(func(name string) string { return w.env[name] })
}

// spooled reads the events that wait, wherever they do, and fails when a file
// was left behind halfway.
func (w *world) spooled(t *testing.T) []map[string]any {
	t.Helper()
	var events []map[string]any
	err := filepath.WalkDir(w.base, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		folder := filepath.Base(filepath.Dir(file))
		inSpool := filepath.Base(filepath.Dir(filepath.Dir(file))) == "spool"
		if entry.IsDir() || !inSpool {
			return nil
		}
		if folder != "new" {
			t.Errorf("left behind: %s", file)
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var event map[string]any
		if err := json.Unmarshal(data, &event); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		events = append(events, event)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// log reads the lines of the hooks' log, without their ends.
func (w *world) log(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(w.layout().HookLog())
	if err != nil {
		return nil
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		if !strings.HasSuffix(line, "\n") {
			t.Errorf("unfinished line in the log: %q", line)
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return lines
}

// neutral takes this machine's paths out of a text.
func (w *world) neutral(text string) string {
	return strings.NewReplacer(
		w.project, "/home/dev/project", w.env["MEMORY_HOME"], "$MEMORY_HOME", w.plugin, "$PLUGIN", w.base, "$BASE",
	).Replace(text)
}

// local puts this world's project into a recorded input.
func (w *world) local(input string) string {
	return strings.ReplaceAll(input, "/home/dev/project", w.project)
}

func (w *world) with(pairs ...string) *world {
	other := *w
	other.env = maps.Clone(w.env)
	for i := 0; i < len(pairs); i += 2 {
		other.env[pairs[i]] = pairs[i+1]
	}
	return &other
}

// agent is a resident agent that only records what it is asked.
type agent struct {
	text     string // what session_context answers
	asked    chan agentapi.SessionContextParams
	spooled  chan struct{}
	notified atomic.Int32
	stop     func()
}

// startAgent listens on the world's socket until the test or stop ends it.
func startAgent(t *testing.T, w *world, text string) *agent {
	t.Helper()
	a := &agent{text: text, asked: make(chan agentapi.SessionContextParams, 8), spooled: make(chan struct{}, 8)}
	listener, err := agentapi.Listen(w.layout().Socket())
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, w.layout().ReadyMark(), "")
	server := &agentapi.Server{Log: slog.New(slog.DiscardHandler), Handlers: map[string]agentapi.Handler{
		agentapi.MethodSessionContext: agentapi.Handle(a.sessionContext),
		agentapi.MethodSpooled: func(context.Context, json.RawMessage) (any, error) {
			a.notified.Add(1)
			a.spooled <- struct{}{}
			return nil, nil
		},
	}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, listener) }()
	stopped := false
	a.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	}
	t.Cleanup(a.stop)
	return a
}

func (a *agent) sessionContext(_ context.Context, p agentapi.SessionContextParams) (agentapi.ContextResult, error) {
	a.asked <- p
	return agentapi.ContextResult{Text: a.text, Tokens: 7, Encoding: "o200k_base", Items: 1}, nil
}

// awaitNotification waits until a hook has said that it spooled something.
func (a *agent) awaitNotification(t *testing.T) {
	t.Helper()
	select {
	case <-a.spooled:
	case <-time.After(patience):
		t.Error("the agent was not told of the event")
	}
}

func makeDirs(t *testing.T, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	makeDirs(t, filepath.Dir(file))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
