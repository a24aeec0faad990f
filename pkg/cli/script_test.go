package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/instructions"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

// The stories in testdata/script run memory in this process, next to a daemon with an empty store. Only commands that start a
// process, such as memory daemon start, start one: this test binary, as memoryd.
func TestMain(m *testing.M) {
	testscript.Main(leakChecked{enginetest.Wrap(m)}, map[string]func(){"memory-process": func() { os.Exit(Main("dev")) }, "memoryd": memoryd})
}

type leakChecked struct{ inner testscript.TestingM }

func (l leakChecked) Run() int {
	code := l.inner.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// zone is that of the stories' user: an hour before UTC's clock.
var zone = time.FixedZone("CET", 60*60)

// clock is the time of one story. Each command comes a minute after the other.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Minute)
}

type clockKey struct{}

func TestStories(t *testing.T) {
	enginetest.Endpoint(t) // there is one, or the test is skipped
	testscript.Run(t, testscript.Params{
		Dir:   "testdata/script",
		Setup: setUp,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"memory": func(ts *testscript.TestScript, neg bool, args []string) {
				code := invoke(ts, args)
				if neg != (code != exitOK) {
					ts.Fatalf("exit code %d", code)
				}
			},
			"fails": func(ts *testscript.TestScript, _ bool, args []string) {
				want, err := strconv.Atoi(args[0])
				ts.Check(err)
				if code := invoke(ts, args[1:]); code != want {
					ts.Fatalf("exit code %d, want %d", code, want)
				}
			},
			"daemon":  func(ts *testscript.TestScript, _ bool, args []string) { startStoryDaemon(ts, distillingAs(args)) },
			"event":   func(ts *testscript.TestScript, _ bool, args []string) { spoolEvent(ts, args) },
			"letid":   letID,
			"letrun":  letRun,
			"advance": advance,
		},
	})
}

// engineOf is the file that names the engine of this process to the daemons that a story starts.
func engineOf(layout paths.Layout) string {
	return filepath.Join(filepath.Dir(layout.Home), "engine.json")
}

// setUp makes a home, a project and a plugin of each story's own.
func setUp(env *testscript.Env) error {
	plugin := filepath.Join(env.WorkDir, "plugin")
	for _, dir := range []string{"p", "q", "plugin/bin", "plugin/libexec", "tmp"} {
		if err := os.MkdirAll(filepath.Join(env.WorkDir, dir), 0o700); err != nil {
			return err
		}
	}
	program, err := exec.LookPath("memoryd")
	if err == nil {
		err = os.Symlink(program, filepath.Join(plugin, "libexec", "memoryd"))
	}
	if err != nil {
		return err
	}
	endpoint, err := enginetest.Shared()
	if err == nil {
		err = enginetest.WriteEndpoint(engineOf(paths.Layout{Home: filepath.Join(env.WorkDir, "home")}), endpoint)
	}
	if err != nil {
		return err
	}
	env.Setenv("MEMORY_HOME", filepath.Join(env.WorkDir, "home"))
	env.Setenv("SESSION_DIR", filepath.Join(env.WorkDir, "p"))
	env.Setenv("CLAUDE_CONFIG_DIR", filepath.Join(env.WorkDir, "claude"))
	env.Defer(func() {
		if pid := daemonclient.PID(paths.Layout{Home: filepath.Join(env.WorkDir, "home")}); pid > 0 { // of a story that failed
			_ = process.End(context.Background(), pid)
		}
	})
	env.Values[clockKey{}] = &clock{at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	return nil
}

// running keeps the commands of several stories apart: the CLI library has its help and version flags for the whole process.
var running sync.Mutex

// interrupting is somebody at the terminal who answers and then interrupts the command.
type interrupting struct {
	io.Reader
	interrupt func()
}

func (i interrupting) Read(p []byte) (int, error) {
	defer i.interrupt()
	return i.Reader.Read(p)
}

// invoke runs memory in this process. STDIN names a file to read from; ANSWER is
// an answer at the terminal, INTERRUPT interrupts the command there.
func invoke(ts *testscript.TestScript, args []string) int {
	c := ts.Value(clockKey{}).(*clock)
	c.tick()
	var in io.Reader = strings.NewReader("")
	answer := ts.Getenv("ANSWER")
	if answer != "" {
		in = strings.NewReader(answer + "\n")
	}
	if file := ts.Getenv("STDIN"); file != "" {
		in = strings.NewReader(ts.ReadFile(file))
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if ts.Getenv("INTERRUPT") != "" {
		in = interrupting{in, cancel}
	}
	running.Lock()
	defer running.Unlock()
	return run(ctx, append([]string{"memory"}, args...), runOptions{Version: "dev", Dir: ts.Getenv("SESSION_DIR"), Executable: filepath.Join(ts.Getenv("WORK"), "plugin", "bin", "memory"), Terminal: &terminal.Terminal{
		In: in, Out: ts.Stdout(), Err: ts.Stderr(), Getenv: ts.Getenv, Now: c.now, Zone: zone, Interactive: answer != "",
	}})
}

// wordCounter counts words: the stories are not about tokens.
type wordCounter struct{}

func (wordCounter) Count(text string) int { return len(strings.Fields(text)) }
func (wordCounter) Encoding() string      { return "words" }

// parrot is a model that writes the same of every session: one fact that the record has words for, and one that it has not.
type parrot struct{}

func (parrot) Ask(context.Context, distill.Question) (distill.Reply, error) {
	return distill.Reply{
		Text: []byte(`{"summary":{"request":"An export for guests","investigated":"","learned":"","completed":"","next_steps":""},"facts":[
		{"text":"Exports never join on the account.","kind":"convention","quotes":["we must never join on the account"],"cues":["empty export","join a table"],"importance":3,"everywhere":false,"about":"","relation":""},
		{"text":"Exports are made at noon.","kind":"note","quotes":["they are made at noon"],"about":"","relation":""}]}`),
		Usage: distill.Usage{Reported: true, Input: 750, Output: 60, USD: 0.001},
	}, nil
}

func newService(layout paths.Layout, store daemon.Store, now func() time.Time, distil config.Distill) *daemon.Service {
	cfg := unscheduled()
	distils := func() (config.Distill, distill.Model) {
		now := distil
		if read, _ := config.Load(layout.ConfigFile(), func(string) string { return "" }); read.Distill.Decided {
			now = read.Distill
		}
		return now, parrot{}
	}
	texts, _ := store.(daemon.SweepStore)
	return &daemon.Service{
		Daemon: daemon.New(daemontest.Complete(daemon.Options{
			Store: store, Spools: []*spool.Spool{spool.New(layout.Spool())}, Counter: wordCounter{},
			Config: cfg, Log: slog.New(slog.DiscardHandler), Now: now, Distills: distils,
			Texts: texts, SweepRow: surreal.SweepRow, Layout: layout,
			Instructions: instructions.New(filepath.Join(filepath.Dir(layout.Home), "claude"), now),
		})),
		Version: "dev", Prepare: func(context.Context) error { return nil },
		Repair:    func(_ context.Context, fault error) error { return fault },
		AdoptPath: func(string) bool { return false }, Outdated: func(context.Context, daemonapi.Caller) bool { return false },
		Explain:   func(err error) daemonapi.Trouble { return daemonapi.Trouble{Problem: err.Error(), Command: "doctor"} },
		Engine:    func() daemonapi.EngineStatus { return daemonapi.EngineStatus{Kind: "memory", Version: "0"} },
		Abandoned: func(time.Duration) string { return "" },
		Dashboard: dashboardOf(layout),
	}
}

// dashboardOf lets browsers in as the dashboard does, and has no pages.
func dashboardOf(layout paths.Layout) func(context.Context, daemonapi.DashboardParams) (daemonapi.DashboardResult, error) {
	return func(_ context.Context, p daemonapi.DashboardParams) (daemonapi.DashboardResult, error) {
		result := daemonapi.DashboardResult{URL: "http://127.0.0.1:1/", Key: dashboardKey}
		if !p.File {
			return result, nil
		}
		result.Key, result.File = "", filepath.Join(layout.Run(), "open-1.html")
		return result, os.WriteFile(result.File, []byte(dashboardKey), 0o600)
	}
}

// dashboardKey is the key of the dashboard.
const dashboardKey = "ONCEANDFORTENMINUTES"

// unscheduled returns the defaults without scheduled work: stories decide when maintenance runs. The daemon stays when a story's
// clock moves on by days: the next one would have another store.
func unscheduled() config.Config {
	cfg := config.Default()
	cfg.Maintenance.Enabled, cfg.Distill.Every = false, 0
	cfg.Daemon.IdleExit, cfg.Daemon.EndedExit = 0, 0
	return cfg
}

// letRun stores the id of the run in the last output.
func letRun(ts *testscript.TestScript, _ bool, args []string) {
	if id := regexp.MustCompile(`[0-9a-f]{16}-[0-9a-f]{12}`).FindString(ts.ReadFile("stdout")); id != "" {
		ts.Setenv(args[0], id)
		return
	}
	ts.Fatalf("the last output has no run")
}

// distillingAs are the settings that the arguments of daemon ask for: distilling switches it
// on, capped leaves room for one call a day.
func distillingAs(args []string) config.Distill {
	cfg := unscheduled().Distill
	cfg.Enabled = slices.Contains(args, "distilling")
	if slices.Contains(args, "capped") {
		cfg.DayTokens = 5000
	}
	return cfg
}

func startStoryDaemon(ts *testscript.TestScript, distil config.Distill) {
	layout := paths.Layout{Home: ts.Getenv("MEMORY_HOME")}
	listener, err := daemonserver.Listen(layout.Socket())
	ts.Check(err)
	ctx, cancel := context.WithCancel(context.Background())
	store, done, err := surrealtest.New()
	ts.Check(err)
	ts.Defer(done)
	ended := make(chan error, 1)
	go func() { ended <- serveLocked(ctx, layout, store, listener, ts.Value(clockKey{}).(*clock).now, distil) }()
	ts.Defer(func() {
		cancel()
		ts.Check(<-ended)
	})
}

// serveLocked is the daemon's life, as memoryd has it.
func serveLocked(ctx context.Context, layout paths.Layout, store daemon.Store, listener net.Listener, now func() time.Time, distil config.Distill) error {
	lock := flock.New(layout.Lock(), flock.SetPermissions(0o600))
	mine, err := lock.TryLock()
	if !mine || err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { _ = lock.Unlock() }()
	return newService(layout, store, now, distil).Run(ctx, listener)
}

// memoryd is this test binary as the daemon. It ends at the latest when its story must have ended. It leaves without the second
// that a program with the race detector takes to end: whoever waits for it has no environment to set that in.
func memoryd() {
	if len(os.Args) > 1 { // --check
		fmt.Println(`{"engine": {"kind": "memory"}}`)
		syscall.Exit(0)
	}
	time.AfterFunc(time.Minute, func() { os.Exit(1) })
	layout := paths.FromEnv(os.Getenv)
	if err := os.MkdirAll(layout.Run(), 0o700); err != nil {
		os.Exit(1)
	}
	lock := flock.New(layout.Lock(), flock.SetPermissions(0o600))
	if free, _ := lock.TryLock(); !free {
		os.Exit(0) // another one is there
	}
	listener, err := daemonserver.Listen(layout.Socket())
	var store *surrealtest.Store
	if err == nil {
		err = os.Setenv(enginetest.SharedVariable, engineOf(layout))
	}
	if err == nil {
		store, _, err = surrealtest.New()
	}
	if err == nil {
		err = newService(layout, store, time.Now, distillingAs(nil)).Run(context.Background(), listener)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	runtime.KeepAlive(lock) // the collector closes a file that nobody has, which frees the lock
	syscall.Exit(0)
}

// spoolEvent leaves an event as a hook would: a JSON object, in which the time is in minutes from the story's noon.
func spoolEvent(ts *testscript.TestScript, args []string) {
	home := paths.Layout{Home: ts.Getenv("MEMORY_HOME")}
	for _, file := range args {
		for line := range strings.Lines(ts.ReadFile(file)) {
			var e struct {
				memory.Event
				Minute int
			}
			ts.Check(json.Unmarshal([]byte(line), &e))
			e.At = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).Add(time.Duration(e.Minute) * time.Minute)
			e.ID = memory.NewEventID(e.At)
			if e.Project.Key == "" {
				dir := ts.Getenv("SESSION_DIR")
				e.Project = memory.Project{Key: dir, Name: filepath.Base(dir), Root: dir}
			}
			ts.Check(spool.New(home.Spool()).Put(e.Event))
		}
	}
}

// letID sets a variable to the first id of the last output.
func letID(ts *testscript.TestScript, _ bool, args []string) {
	for _, word := range strings.Fields(ts.ReadFile("stdout")) {
		if len(word) == 12 && memory.IsIDPrefix(word) {
			ts.Setenv(args[0], word)
			return
		}
	}
	ts.Fatalf("the last output has no id")
}

// advance moves the story's clock.
func advance(ts *testscript.TestScript, _ bool, args []string) {
	by, err := time.ParseDuration(args[0])
	ts.Check(err)
	c := ts.Value(clockKey{}).(*clock)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(by)
}
