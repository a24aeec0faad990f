// Package hook runs one hook program: it decodes the input, enforces the deadline, recovers from
// panics, writes the output and logs errors. It always exits 0, and
// prints valid output or nothing, because a memory must never block or fail a session. It does
// not interpret events; package hooks does.
package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// Hook is the work of one program.
type Hook struct {
	// Name is the program's name in the log: session-start.
	Name string
	// Event is the only hook_event_name it serves.
	Event string
	// Deadline is the time after which the program gives up in silence.
	Deadline func(config.Hooks) time.Duration
	// Run does the work. Its context ends at the deadline. An error is logged;
	// the output is written all the same.
	Run func(ctx context.Context, call *Call) (hookio.Output, error)
}

// Capture is the deadline of a hook that only captures.
func Capture(h config.Hooks) time.Duration { return h.Deadline }

// Recall is the deadline of a hook that recalls memories.
func Recall(h config.Hooks) time.Duration { return h.Deadline }

// Call is everything that Run may use.
type Call struct {
	Input hookio.Input
	// Project is the one the session was started in: that of CLAUDE_PROJECT_DIR,
	// which stays while the session's directory follows cd, else of the
	// session's directory.
	Project project.Project
	// InputErr is set if the input ended early or is malformed; Input then holds the fields
	// before that place.
	InputErr   error
	Client     string // that calls; empty is Claude Code
	Past       bool   // the event happened before the programs were installed: it is captured, and no session waits
	Config     config.Config
	Paths      paths.Layout
	Executable string // this program's own path
	Getenv     func(string) string
	Environ    func() []string // of a daemon that the call starts; see package consent
	Now        func() time.Time
	Stderr     io.Writer // shown to the user by few events; never a secret
}

// Daemon is the daemon that serves the call.
func (c *Call) Daemon() daemonclient.Daemon {
	return daemonclient.Daemon{Paths: c.Paths, Executable: c.Executable, Now: c.Now, Environ: c.Environ}
}

// Occurrence is the call as package describe takes it.
func (c *Call) Occurrence() describe.Occurrence {
	return describe.Occurrence{Input: c.Input, Project: c.Project, Client: c.Client, At: c.Now(), Partial: c.InputErr != nil, Line: c.line()}
}

// line returns what the client says about who speaks. To a client that runs in the shell of another one a model speaks.
func (c *Call) line() speaker.Line {
	line := speaker.Line{Entrypoint: c.Getenv("CLAUDE_CODE_ENTRYPOINT")}
	if c.Input.HookEventName == hookio.UserPromptSubmit {
		line.Source = c.Input.Source
	}
	if by := c.Getenv("CODEX_INTERNAL_ORIGINATOR_OVERRIDE"); c.Client == client.Codex && strings.HasPrefix(by, "codex_sdk") {
		line.Entrypoint = by
	}
	_, err := os.Stat(c.Paths.NestedMark(c.Input.SessionID))
	line.IsOthers = err == nil || c.Client == client.Codex && c.Getenv("CLAUDECODE") != "" || c.Client == "" && c.Getenv("CODEX_THREAD_ID") != ""
	return line
}

// Process is the operating system as a hook sees it.
type Process struct {
	Stdin      io.Reader
	Stdout     io.Writer
	Stderr     io.Writer
	Getenv     func(string) string
	Environ    []string // of this process
	Executable string
	Client     string // that calls, if it is not Claude Code; see package client
	Now        func() time.Time
	Past       time.Time // of an event from before the programs were installed; else zero
}

// Main runs a hook as this process and ends it.
func Main(h Hook) {
	executable, err := os.Executable()
	if err != nil { // only finding the daemon fails then
		executable = os.Args[0]
	}
	if runtime.GOOS != "linux" { // where it is the path of a link that leads to the program; plugin/hooks/run.sh makes one
		if file, err := filepath.EvalSymlinks(executable); err == nil {
			executable = file
		}
	}
	os.Exit(Run(h, Process{
		Stdin: os.Stdin, Stdout: survivor(os.Stdout), Stderr: survivor(os.Stderr),
		Getenv: os.Getenv, Environ: os.Environ(), Executable: executable,
		Client: clientIn(os.Args), Now: time.Now, Past: pastIn(os.Args),
	}))
}

// Run runs a hook and returns at its deadline, or shortly after on a machine too busy
// to do the hook's own work in time; see grace. Work that is still running then ends
// with the process. It returns the exit code.
func Run(h Hook, p Process) int {
	p.Getenv = config.Given(p.Getenv)
	layout := paths.FromEnv(p.Getenv)
	settings := layout.ConfigFile()
	homeErr := private.Home(layout.Home)
	if homeErr != nil { // another user may have written them: another store, other budgets
		settings = ""
	}
	cfg, problems := config.Load(settings, p.Getenv)
	if cfg.Disabled {
		if cfg.Unread == "" {
			return 0
		}
		h.Run = isOff(cfg.Unread)
	}
	limit := h.Deadline(cfg.Hooks)
	if !p.Past.IsZero() {
		p, cfg, limit = replayed(p), capturing(cfg), replayLimit
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()

	finished := make(chan result, 1)
	go func() { finished <- work(ctx, h, p, layout, cfg) }()
	r := await(ctx, finished, limit)
	if err := errors.Join(r.err, write(r.output, p.Stdout), problemsError(problems)); err != nil && homeErr == nil && !errors.Is(err, consent.ErrHome) {
		logLine(layout.HookLog(), p.Now(), h.Name, r.session, err)
	}
	if !p.Past.IsZero() && (errors.Is(r.err, ErrNotStored) || errors.Is(r.err, errGaveUp)) {
		return exitAgain
	}
	return 0
}

// replayed is a process in which the event has its own time, and whose output no session reads.
func replayed(p Process) Process {
	at := p.Past
	p.Now = func() time.Time { return at }
	p.Stdout, p.Stderr = io.Discard, io.Discard
	return p
}

// isOff is the work of every hook while the memory is off because its off switch cannot be read:
// the hook that starts a session reports this to the user.
func isOff(reason string) func(context.Context, *Call) (hookio.Output, error) {
	return func(_ context.Context, call *Call) (hookio.Output, error) {
		if call.Input.HookEventName != hookio.SessionStart {
			return hookio.Output{}, nil
		}
		return hookio.Output{SystemMessage: "surrealdb-memory: the memory is off, because its off switch cannot be read: " + describe.Text(reason) +
			". Nothing is captured until that is corrected; memory doctor shows where and how"}, nil
	}
}

// ErrNotStored reports that no spool could be written.
var ErrNotStored = errors.New("event is lost")

var errGaveUp = errors.New("gave up")

// grace is the time after the deadline in which a hook may finish its own work on a busy machine:
// reading its input and writing an event to the disk. Waiting for others ends at the deadline.
const grace = 400 * time.Millisecond

func await(ctx context.Context, finished <-chan result, limit time.Duration) result {
	select {
	case r := <-finished:
		return r
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case r := <-finished:
		return r
	case <-late.C:
		return result{err: fmt.Errorf("%w %s after its deadline of %s", errGaveUp, grace, limit)}
	}
}

type result struct {
	output  hookio.Output
	session string
	err     error
}

func work(ctx context.Context, h Hook, p Process, layout paths.Layout, cfg config.Config) (r result) {
	defer func() {
		if cause := recover(); cause != nil {
			r = result{session: r.session, err: fmt.Errorf("panic: %v at %s", cause, origin(debug.Stack()))}
		}
	}()
	input, err := hookio.Decode(p.Stdin)
	r.session = input.SessionID
	if errors.Is(err, hookio.ErrEmpty) {
		r.err = err
		return r
	}
	if input.HookEventName == "" && (err != nil || p.Client != "") { // cut off before the name, or not named
		input.HookEventName = h.Event
	}
	if p.Client != "" {
		p.Getenv = foreign(p.Getenv)
	} else if input.HookEventName != h.Event {
		r.err = errors.Join(err, fmt.Errorf("serves %s only, was called for %q: check hooks.json", h.Event, input.HookEventName))
		return r
	}
	where := projectOf(input, p.Getenv)
	if err := consent.Home(layout, p.Getenv, where); err != nil {
		return refused(input.HookEventName, err)
	}
	input.SessionID, _ = redact.Text(input.SessionID) // their author can put a secret into them
	where.Key, _ = redact.Text(where.Key)
	if where.IsOff(layout.OffMark(where.Key)) {
		return result{}
	}
	call := &Call{
		Input: input, Project: where, InputErr: err, Client: p.Client, Past: !p.Past.IsZero(), Config: cfg,
		Paths: layout, Executable: p.Executable,
		Getenv: p.Getenv, Environ: func() []string { return consent.Handed(p.Environ, where) }, Now: p.Now, Stderr: p.Stderr,
	}
	var runErr error
	if p.Client == "" {
		r.output, runErr = h.Run(ctx, call)
	} else {
		r.output, runErr = serveCodex(p.Client, h.Event, input, func(in hookio.Input) (hookio.Output, error) {
			one := *call
			one.Input = in
			return h.Run(ctx, &one)
		})
	}
	r.err = errors.Join(err, runErr)
	return r
}

// refused is the result where the home cannot be the user's: nothing is read or written there, and a session's start tells the user.
func refused(event string, err error) result {
	r := result{err: err}
	if event == hookio.SessionStart {
		r.output.SystemMessage = "surrealdb-memory: the memory is off here, and nothing is captured: " + describe.Text(err.Error())
	}
	return r
}

func projectOf(input hookio.Input, getenv func(string) string) project.Project {
	where, _ := project.Identify(cmp.Or(getenv("CLAUDE_PROJECT_DIR"), input.CWD)) // usable whatever is wrong with the repository
	return where
}

// write writes the output, if there is any, in one piece: the client never sees half of it.
func write(o hookio.Output, w io.Writer) error {
	if o.IsZero() {
		return nil
	}
	return o.Encode(w)
}

func problemsError(problems []config.Problem) error {
	var errs []error
	for _, p := range problems {
		errs = append(errs, fmt.Errorf("setting %s", p))
	}
	return errors.Join(errs...)
}

// logLine appends one line. Logging errors are ignored: the home may be full or not
// ours, and a hook has no other place to report them.
func logLine(file string, now time.Time, name, session string, err error) {
	line := fmt.Sprintf("%s %s session=%s %s\n",
		now.UTC().Format(time.RFC3339Nano), name, strconv.Quote(session), strings.ReplaceAll(err.Error(), "\n", "; "))
	f, openErr := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if errors.Is(openErr, os.ErrNotExist) && os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		f, openErr = os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	}
	if openErr != nil {
		return
	}
	rotate(f, file)
	_, _ = f.WriteString(line)
	_ = f.Close()
}

// maxLogBytes is the size at which the log is rotated; one rotated file is kept.
const maxLogBytes = 1 << 20

// rotate renames a log that has grown too large. This process writes its line to the
// file it has open; of several processes one rotates.
func rotate(open *os.File, file string) {
	info, err := open.Stat()
	if err != nil || info.Size() < maxLogBytes {
		return
	}
	if named, err := os.Stat(file); err == nil && os.SameFile(info, named) {
		_ = os.Rename(file, file+".old")
	}
}

// origin is the place of a panic: the first line of the stack, after the
// runtime's own, that names a file.
func origin(stack []byte) string {
	afterPanic := false
	for line := range strings.Lines(string(stack)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic(") {
			afterPanic = true
			continue
		}
		if afterPanic && strings.Contains(line, ".go:") && !strings.Contains("/"+line, "/runtime/") { // -trimpath has shortened the paths
			return line
		}
	}
	return "an unknown place"
}
