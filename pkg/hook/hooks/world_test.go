package hooks_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// served are the hooks of all events.
var served = []hook.Hook{
	hooks.Setup,
	hooks.SessionStart,
	hooks.UserPromptSubmit,
	hooks.PreToolUse,
	hooks.PermissionRequest,
	hooks.PostToolUse,
	hooks.PostToolUseFailure,
	hooks.SubagentStart,
	hooks.SubagentStop,
	hooks.TaskCompleted,
	hooks.TeammateIdle,
	hooks.PreCompact,
	hooks.PostCompact,
	hooks.Stop,
	hooks.StopFailure,
	hooks.Notification,
	hooks.SessionEnd,
}

const (
	repository = "../../.."
	// patience is far beyond the time of any hook: a test that waits that long has failed.
	patience = 30 * time.Second
)

// temporary is the directory for temporary files before a test sets another one.
var temporary = os.TempDir()

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
	hookPrograms, err := filepath.Glob(repository + "/apps/hooks/*")
	if err = errors.Join(err, plugintest.Build(libexec, hookPrograms...)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// Most of the tests that run beside each other wait for a program's deadline: not a processor each. There are 27 places
	// to draw texts for; make chaos draws 100 for each.
	if err := errors.Join(flag.Set("test.parallel", "8"), flag.Set("rapid.checks", "25")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// world is the environment of one hook: its home, its project, its variables.
type world struct {
	base    string
	plugin  string // without programs, except those that a test adds
	project string // a repository whose origin is github.com/acme/rocket
	env     map[string]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	// t.TempDir is too long a path for a socket.
	base, err := os.MkdirTemp(temporary, "w")
	if err == nil {
		base, err = filepath.EvalSymlinks(base)
	}
	musttest.Do(t, err)
	t.Cleanup(func() { musttest.Do(t, os.RemoveAll(base)) })
	w := &world{base: base, plugin: filepath.Join(base, "plugin"), project: filepath.Join(base, "project")}
	w.env = map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": filepath.Join(base, "user"), "TMPDIR": filepath.Join(base, "tmp"),
		"MEMORY_HOME": filepath.Join(base, "home"), "CLAUDE_PROJECT_DIR": w.project, "CLAUDE_PID": "4711",
	}
	makeDirs(t, w.env["HOME"], w.env["TMPDIR"], filepath.Join(w.plugin, "libexec"))
	writeFile(t, filepath.Join(w.project, ".git", "HEAD"), "ref: refs/heads/main\n")
	writeFile(t, filepath.Join(w.project, ".git", "config"), "[remote \"origin\"]\n\turl = git@github.com:acme/rocket.git\n")
	return w
}

func (w *world) layout() paths.Layout {
	return paths.FromEnv(func(name string) string { return w.env[name] })
}

// spooled reads the events that wait, wherever they do, and fails when a file was left behind halfway.
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
	musttest.Do(t, err)
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
	return strings.NewReplacer(w.project, "/home/dev/project", w.env["MEMORY_HOME"], "$MEMORY_HOME", w.plugin, "$PLUGIN", w.base, "$BASE").Replace(text)
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

// process is a hook's process in this world, with a plugin that has no memoryd.
func (w *world) process(h hook.Hook, input string, stdout, stderr io.Writer) hook.Process {
	return hook.Process{
		Stdin: strings.NewReader(input), Stdout: stdout, Stderr: stderr, Now: time.Now,
		Getenv:     func(name string) string { return w.env[name] },
		Executable: filepath.Join(w.plugin, "libexec", h.Name()),
	}
}

// daemon is a daemon that only records its requests.
type daemon struct {
	world *world
	text  string // the answer to session_context and recall
	open  openConnections
	stop  func()

	mu      sync.Mutex
	calls   []call
	met     []string           // the callers
	trouble *daemonapi.Trouble // in the answer to session_context, beside the text
}

// call is one message to the daemon.
type call struct {
	Method string         `json:"method"`
	Params map[string]any `json:"params,omitempty"`
	// Spooled is the number of events in the spool at the time of this request.
	Spooled int `json:"events_in_the_spool,omitempty"`
}

// startDaemon listens on the world's socket until the test or stop ends it.
func startDaemon(t *testing.T, w *world, text string) *daemon {
	t.Helper()
	a := &daemon{world: w, text: text}
	listener := musttest.Get(daemonserver.Listen(w.layout().Socket()))(t)
	writeFile(t, w.layout().ReadyMarker(), "")
	server := &daemonserver.Server{Log: slog.New(slog.DiscardHandler), Handlers: []daemonapi.Handler{
		a.answer(t, daemonapi.MethodSessionContext.Name), a.answer(t, daemonapi.MethodRecall.Name),
		a.answer(t, daemonapi.MethodPlanSubagent.Name), a.answer(t, daemonapi.MethodIdle.Name), a.answer(t, daemonapi.MethodPlace.Name), a.answer(t, daemonapi.MethodSpooled.Name),
		{Method: daemonapi.MethodHello.Name, Answer: a.meet},
		daemonapi.MethodPing.Handle(func(context.Context, daemonapi.None) (daemonapi.None, error) { return daemonapi.None{}, nil }),
	}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, &countingListener{Listener: listener, open: &a.open}) }()
	a.stop = sync.OnceFunc(func() {
		cancel()
		musttest.Is(t, nil, <-done, "serve")
	})
	t.Cleanup(a.stop)
	return a
}

// meet stores the caller's identity; a hook sends it beside its recorded requests.
func (a *daemon) meet(_ context.Context, raw json.RawMessage) (any, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.met = append(a.met, string(raw))
	return nil, nil
}

func (a *daemon) answer(t *testing.T, method string) daemonapi.Handler {
	return daemonapi.Handler{Method: method, Answer: func(_ context.Context, raw json.RawMessage) (any, error) {
		c := call{Method: method}
		if len(raw) > 0 {
			musttest.Is(t, nil, json.Unmarshal(raw, &c.Params), "parameters of %s", method)
		}
		if method == daemonapi.MethodSpooled.Name {
			counts, err := spool.New(a.world.layout().Spool()).Counts()
			if err != nil {
				t.Error(err)
			}
			c.Spooled = counts.New
		}
		a.mu.Lock()
		a.calls = append(a.calls, c)
		a.mu.Unlock()
		switch method {
		case daemonapi.MethodSessionContext.Name, daemonapi.MethodRecall.Name:
			return daemonapi.ContextResult{Text: a.text, Tokens: 7, Encoding: "o200k_base", Items: 1, Trouble: a.trouble}, nil
		}
		return nil, nil
	}}
}

// requests waits until every message of the hooks that have run was read, and returns all of them,
// ordered by method: a hook may use two connections.
func (a *daemon) requests(t *testing.T) []call {
	t.Helper()
	client := musttest.Get(daemonclient.Dial(t.Context(), a.world.layout().Socket()))(t)
	musttest.Do(t, client.Call(t.Context(), daemonapi.MethodPing.Call(daemonapi.None{}, nil))) // all earlier callers were accepted
	_ = client.Close()
	a.open.wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	slices.SortStableFunc(a.calls, func(x, y call) int { return strings.Compare(x.Method, y.Method) })
	return slices.Clone(a.calls)
}

// only returns the parameters of the one message with that method.
func only(t *testing.T, calls []call, method string) map[string]any {
	t.Helper()
	var found []map[string]any
	for _, c := range calls {
		if c.Method == method {
			found = append(found, c.Params)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s was called %d times: %+v", method, len(found), calls)
	}
	return found[0]
}

// countingListener counts its open connections.
type countingListener struct {
	net.Listener
	open *openConnections
}

// openConnections counts connections. Unlike a sync.WaitGroup it may be waited for while the first one is accepted.
type openConnections struct {
	mu     sync.Mutex
	n      int
	closed chan struct{} // of the connections that are open; nil if there are none
}

func (o *openConnections) add() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n++; o.n == 1 {
		o.closed = make(chan struct{})
	}
}

func (o *openConnections) done() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n--; o.n == 0 {
		close(o.closed)
		o.closed = nil
	}
}

func (o *openConnections) wait() {
	o.mu.Lock()
	closed := o.closed
	o.mu.Unlock()
	if closed != nil {
		<-closed
	}
}

func (l *countingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.open.add()
	return &countedConn{Conn: conn, done: sync.OnceFunc(l.open.done)}, nil
}

type countedConn struct {
	net.Conn
	done func()
}

func (c *countedConn) Close() error {
	defer c.done()
	return c.Conn.Close()
}

func makeDirs(t *testing.T, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		musttest.Do(t, os.MkdirAll(dir, 0o700))
	}
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	makeDirs(t, filepath.Dir(file))
	musttest.Do(t, os.WriteFile(file, []byte(text), 0o600))
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	return string(musttest.Get(os.ReadFile(file))(t))
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	return string(musttest.Get(json.Marshal(v))(t))
}
