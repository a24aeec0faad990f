package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// user runs the program in a home of its own.
type user struct {
	env    map[string]string
	layout paths.Layout
	dir    string
}

func newUser(t *testing.T) *user {
	t.Helper()
	home, dir := filepath.Join(t.TempDir(), "m"), t.TempDir()
	return &user{env: map[string]string{"MEMORY_HOME": home}, layout: paths.Layout{Home: home}, dir: dir}
}

func (x *user) run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return x.runUntil(t.Context(), t, args...)
}

// ok runs a command that has to work.
func (x *user) ok(t *testing.T, args ...string) {
	t.Helper()
	if code, _, stderr := x.run(t, args...); code != exitOK {
		t.Fatalf("memory %q: exit code %d and %s", args, code, stderr)
	}
}

// says runs a command, which ends with an exit code and says some words: an answer or, if it fails, an error.
func (x *user) says(t *testing.T, code int, words string, args ...string) {
	t.Helper()
	got, out, stderr := x.run(t, args...)
	text := out
	if code != exitOK {
		text = stderr
	}
	if got != code || !strings.Contains(text, words) {
		t.Errorf("memory %q: exit code %d, %q and %q, want %d and something about %q", args, got, out, stderr, code, words)
	}
}

// runUntil is run that somebody interrupts when ctx ends.
func (x *user) runUntil(ctx context.Context, t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(ctx, append([]string{"memory"}, args...), runOptions{Executable: filepath.Join(t.TempDir(), "bin", "memory"), Dir: x.dir, Terminal: &terminal.Terminal{
		Out: &out, Err: &err, Getenv: func(key string) string { return x.env[key] },
		Now: func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) },
	}})
	return code, out.String(), err.String()
}

// daemon answers on the terminal's socket.
func (x *user) daemon(t *testing.T, handlers []daemonapi.Handler) {
	t.Helper()
	handlers = append(handlers, daemonapi.MethodHello.Handle(func(context.Context, daemonapi.Caller) (daemonapi.None, error) { return daemonapi.None{}, nil }))
	server := daemonserver.Server{Handlers: handlers, Log: slog.New(slog.DiscardHandler)}
	x.served(t, server.Serve)
}

// served has somebody answer on the terminal's socket until the test ends.
func (x *user) served(t *testing.T, by func(context.Context, net.Listener) error) {
	t.Helper()
	listener := musttest.Get(daemonserver.Listen(x.layout.Socket()))(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- by(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		musttest.Do(t, <-ended)
	})
}

func TestWrongUseIsExplained(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"dance"}, "dance"},
		{[]string{"remember"}, "the text is empty"},
		{[]string{"remember", "<private>all of it</private>"}, "nothing is left"},
		{[]string{"remember", "--kind", "failure", "x"}, "failure"},
		{[]string{"recall", "--budget", "3"}, "need a QUESTION"},
		{[]string{"list", "--limit", "many"}, "limit"},
		{[]string{"status", "--nope"}, "nope"},
		{[]string{"edit", "--scope"}, "--scope needs a value; memory edit --help"},
		{[]string{"setup", "engine", "dance"}, "memory setup engine --help"},
	} {
		newUser(t).says(t, exitUsage, c.says, c.args...)
	}
}

func TestADaemonThatCannotBeStartedIsNamed(t *testing.T) {
	for _, args := range [][]string{{"list", "x"}, {"list"}, {"recall"}, {"daemon", "consolidate"}, {"daemon", "runs"}, {"daemon", "ingest"}} {
		code, _, stderr := newUser(t).run(t, args...) // once: another start is tried after three seconds only
		if code != exitUnavailable || !strings.Contains(stderr, "the daemon cannot be started: ") || !strings.Contains(stderr, "reinstall it") {
			t.Errorf("memory %q: exit code %d and %q", args, code, stderr)
		}
	}
	newUser(t).says(t, exitOK, "no daemon", "daemon", "stop")
	x := newUser(t)
	x.says(t, exitOK, "memory is off in ", "projects", "off")
	x.says(t, exitFailed, "memory is off for", "remember", "something")
	newUser(t).says(t, exitOK, "stopped", "status")
}

func TestStatusSaysWhatIsOffAndWhatHelps(t *testing.T) {
	x := newUser(t)
	x.daemon(t, []daemonapi.Handler{
		daemonapi.MethodStatus.Handle(func(context.Context, daemonapi.None) (daemonapi.StatusResult, error) {
			return daemonapi.StatusResult{State: "waiting", Trouble: &daemonapi.Trouble{Problem: "no SurrealDB engine was found", Help: "install Node.js, then", Command: "doctor"}}, nil
		}),
	})
	code, out, stderr := x.run(t, "status")
	if want := "no SurrealDB engine was found; install Node.js, then memory doctor"; code != exitOK || !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
		t.Errorf("exit code %d, %q and %q", code, out, stderr)
	}
}

// An engine may stop to answer after the daemon has counted its rows.
func TestStatusNeedsNoEngineThatAnswers(t *testing.T) {
	x := newUser(t)
	x.daemon(t, []daemonapi.Handler{
		daemonapi.MethodStatus.Handle(func(context.Context, daemonapi.None) (daemonapi.StatusResult, error) {
			return daemonapi.StatusResult{State: "ready", Store: &memory.Stats{}}, nil
		}),
		daemonapi.MethodList.Handle(func(context.Context, daemonapi.ListParams) (daemonapi.ListResult, error) {
			return daemonapi.ListResult{}, memory.ErrUnavailable
		}),
	})
	if code, out, stderr := x.run(t, "status"); code != exitOK || !strings.Contains(out, "ready") || stderr != "" {
		t.Errorf("exit code %d, %q and %q", code, out, stderr)
	}
}

// TestASlowStartIsReported: the daemon gets its store late. The waiting command reports that once, and then answers.
func TestASlowStartIsReported(t *testing.T) {
	x := newUser(t)
	musttest.Do(t, os.MkdirAll(x.layout.Data(), 0o700)) // it is not the first
	stderr := &firstWrite{done: make(chan struct{})}
	x.daemon(t, []daemonapi.Handler{
		daemonapi.MethodStatus.Handle(func(context.Context, daemonapi.None) (daemonapi.StatusResult, error) {
			return daemonapi.StatusResult{State: stateStarting}, nil
		}),
		daemonapi.MethodRuns.Handle(func(context.Context, int) ([]memory.Run, error) {
			<-stderr.done
			return nil, nil
		}),
	})
	code := run(t.Context(), []string{"memory", "daemon", "runs"}, runOptions{Terminal: &terminal.Terminal{
		Out: io.Discard, Err: stderr, Getenv: func(key string) string { return x.env[key] }, Now: time.Now,
	}})
	if code != exitOK || strings.Count(stderr.text.String(), "the daemon is starting\n") != 1 {
		t.Errorf("exit code %d and %q", code, stderr.text.String())
	}
}

// firstWrite is a writer that signals the first write.
type firstWrite struct {
	text bytes.Buffer
	done chan struct{}
}

func (f *firstWrite) Write(data []byte) (int, error) {
	if f.text.Len() == 0 {
		defer close(f.done)
	}
	return f.text.Write(data)
}

func TestRememberWorksWithoutADaemon(t *testing.T) {
	x := newUser(t)
	x.env["CLAUDE_CODE_SESSION_ID"], x.env["MEMORY_SESSION_ID"] = "s1", "s2"
	code, out, stderr := x.run(t, "remember", "--kind", "decision", "we", "use", "rocksdb", "AKIA"+"QRSTUVWX12345678")
	if code != exitOK || !strings.Contains(out, "decision") {
		t.Fatalf("exit code %d, %q, %q", code, out, stderr)
	}
	claims, err := spool.New(x.layout.Spool()).Claim(10)
	if err != nil || len(claims) != 1 {
		t.Fatalf("spooled %d events, %v", len(claims), err)
	}
	got := claims[0].Event
	if got.Kind != memory.EventRemembered || got.RememberedKind != memory.KindDecision || got.Session != "s1" ||
		!strings.HasPrefix(got.Text, "we use rocksdb") || strings.Contains(got.Text, "QRSTUVWX12345678") {
		t.Errorf("spooled %+v", got)
	}
}

func TestErrorsOfTheDaemonBecomeExitCodes(t *testing.T) {
	for want, err := range map[int]error{
		exitNotFound: memory.ErrNotFound, exitUnavailable: memory.ErrUnavailable, exitUsage: memory.ErrInvalid,
		exitFailed: errors.New("broken"),
	} {
		x := newUser(t)
		x.daemon(t, []daemonapi.Handler{daemonapi.MethodConsolidate.Handle(func(context.Context, daemonapi.ConsolidateParams) ([]memory.Run, error) { return nil, err })})
		x.says(t, want, "", "daemon", "consolidate")
	}
}

// The error of a list without a store was printed twice over, and without a remedy.
func TestAnErrorIsSaidOnceWithWhatHelps(t *testing.T) {
	failing := func(method string, err error) daemonapi.Handler {
		return daemonapi.Handler{Method: method, Answer: func(context.Context, json.RawMessage) (any, error) { return nil, err }}
	}
	for _, args := range [][]string{{"list"}, {"list", "--again"}} {
		x := newUser(t)
		broken := fmt.Errorf("the disk is full: %w", memory.ErrUnavailable)
		x.daemon(t, []daemonapi.Handler{failing(daemonapi.MethodMemories.Name, broken), failing(daemonapi.MethodList.Name, broken)})
		code, _, stderr := x.run(t, args...)
		if code != exitUnavailable || strings.Count(stderr, "the disk is full") != 1 || !strings.Contains(stderr, "memory doctor has the remedy") {
			t.Errorf("memory %v: exit code %d and %q", args, code, stderr)
		}
	}
	for err, want := range map[error]string{
		fmt.Errorf("there is no run 12: %w; look", memory.ErrNotFound):       "there is no run 12; look",
		fmt.Errorf("no run has changed anything: %w", memory.ErrNotFound):    "no run has changed anything",
		fmt.Errorf("run 12: %w", memory.ErrNotFound):                         "run 12: " + memory.ErrNotFound.Error(),
		fmt.Errorf("importance 7 is not from 0 to 1: %w", memory.ErrInvalid): "importance 7 is not from 0 to 1",
		fmt.Errorf("a row: %w: try another", memory.ErrInvalid):              "a row: try another",
		errors.New("line 1: invalid character 'b'"):                          "line 1: invalid character 'b'",
	} {
		musttest.Same(t, want, readable(err), "told")
	}
}

func TestADaemonOfAnotherVersionIsNamed(t *testing.T) {
	x := newUser(t)
	x.daemon(t, nil) // it knows nothing that this program asks
	x.says(t, exitFailed, "has another version; memory daemon stop", "list")
}

func TestSettingsThatCannotBeWrittenAreNoWrongUse(t *testing.T) {
	x := newUser(t)
	file := x.layout.ConfigFile()
	musttest.Do(t, os.MkdirAll(filepath.Join(file, "handled"), 0o700)) // a folder where the file should be
	x.says(t, exitFailed, "", "config", "set", "capture.keep", "asked")
	musttest.Do(t, errors.Join(os.RemoveAll(file), os.WriteFile(file, []byte("{\n!"), 0o600)))
	for _, args := range [][]string{{"config", "set", "capture.keep", "asked"}, {"config", "unset", "capture.keep"}} {
		if code, _, stderr := x.run(t, args...); code != exitFailed || strings.Count(stderr, "invalid character '!'") != 1 || !strings.Contains(stderr, "by hand") {
			t.Errorf("memory %s: exit code %d and %q, want the fault once", strings.Join(args, " "), code, stderr)
		}
	}
}

func TestAnswersArePrintedAsTextAndAsJSON(t *testing.T) {
	x := newUser(t)
	m := memory.Memory{ID: "0123456789abcdef", Kind: memory.KindNote, Content: "the port is 6543\x1b[31m", LastSeenAt: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	var asked daemonapi.FindParams
	x.daemon(t, []daemonapi.Handler{
		daemonapi.MethodFind.Handle(func(_ context.Context, q daemonapi.FindParams) ([]memory.Hit, error) {
			asked = q
			return []memory.Hit{{Memory: m, Score: 2}}, nil
		}),
		daemonapi.MethodSessionContext.Handle(func(context.Context, daemonapi.SessionContextParams) (daemonapi.ContextResult, error) {
			return daemonapi.ContextResult{Text: "<x>\n", Tokens: 3, Encoding: "o200k_base", Items: 1, Budget: 400}, nil
		}),
	})
	code, out, _ := x.run(t, "list", "--limit", "3", "port")
	if code != exitOK || !strings.Contains(out, "01234567") || !strings.Contains(out, "the port is 6543") || strings.Contains(out, "\x1b") {
		t.Errorf("exit code %d, %q", code, out)
	}
	musttest.Same(t, daemonapi.FindParams{Project: x.dir, Text: "port", Words: true, Limit: 100}, asked, "asked (-want +got)")
	code, out, _ = x.run(t, "list", "--json", "port")
	var found []memory.Memory
	if err := json.Unmarshal([]byte(out), &found); err != nil || code != exitOK || len(found) != 1 || found[0].Content != m.Content {
		t.Errorf("exit code %d, %v, %q", code, err, out)
	}
	x.says(t, exitOK, "3 of 400 tokens (o200k_base), 1 item", "recall")
}
