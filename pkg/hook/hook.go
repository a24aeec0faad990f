// Package hook runs one hook program: it decodes the input, enforces the deadline, recovers from panics, writes the
// output and logs errors. It exits 0 and prints valid output or nothing, because a memory must never block or fail a
// session. Package hooks interprets the events.
package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// Hook is one hook program.
type Hook struct {
	// Event is the only hook_event_name that the program serves.
	Event string
	// Deadline returns the time after which the program gives up in silence; nil for the deadline of most hooks, config.Hooks.Deadline.
	Deadline func(config.Hooks) time.Duration
	// Run does the work. Its context ends at the deadline. The output is written even if Run returns an error, which is logged.
	Run func(ctx context.Context, call *Call) (hookio.Output, error)
	// Off is called instead of Run where memory is off; nil does nothing. A repository can switch memory off for itself, so Off must be harmless.
	Off func(ctx context.Context, call *Call) (hookio.Output, error)
}

// Name returns the program's name: session-start for SessionStart.
func (h Hook) Name() string { return client.SplitName(h.Event, "-") }

func (h Hook) Limit(cfg config.Hooks) time.Duration {
	if h.Deadline == nil {
		return cfg.Deadline
	}
	return h.Deadline(cfg)
}

// Call is the input of Run.
type Call struct {
	Input hookio.Input
	// Project is the project of CLAUDE_PROJECT_DIR, which stays the same while the session's directory follows cd.
	// Without that variable it is the project of the session's directory.
	Project project.Project
	// InputErr is set if the input ended early or is malformed. Input then has the fields before that place.
	InputErr   error
	Client     string // the calling client; empty for Claude Code
	Past       bool   // the event happened before the programs were installed: it is captured, and no session waits
	Held       bool   // nobody knows yet whether memory is on in the project: the daemon decides whether the event is stored
	IsRefused  bool   // the home may be the project's: nothing may be written there
	Config     config.Config
	Paths      paths.Layout
	Executable string // the path of this program
	Getenv     func(string) string
	Environ    func() []string // the environment of a daemon that the call starts; see package consent
	Now        func() time.Time
	Stderr     io.Writer // shown to the user for a few events; must not contain a secret
}

func (c *Call) Daemon() daemonclient.Daemon {
	return daemonclient.Daemon{Paths: c.Paths, Executable: c.Executable, Now: c.Now, Environ: c.Environ}
}

// Occurrence converts the call for package describe.
func (c *Call) Occurrence() describe.Occurrence {
	return describe.Occurrence{Input: c.Input, Project: c.Project, Client: c.Client, At: c.Now(), Partial: c.InputErr != nil, Line: c.line()}
}

// line returns the client's information on who speaks. If the client runs in the shell of another client, a model speaks.
func (c *Call) line() speaker.Line {
	line := speaker.Line{Entrypoint: c.Getenv("CLAUDE_CODE_ENTRYPOINT")}
	if c.Input.HookEventName == hookio.UserPromptSubmit {
		_, err := os.Stat(c.Paths.ScheduledMarker(client.Hash(c.Input.Prompt)))
		line.Source, line.IsOthers = c.Input.Source, err == nil
	}
	if by := c.Getenv("CODEX_INTERNAL_ORIGINATOR_OVERRIDE"); c.Client == client.Codex && strings.HasPrefix(by, "codex_sdk") {
		line.Entrypoint = by
	}
	_, err := os.Stat(c.Paths.NestedMarker(c.Input.SessionID, c.ClientPID()))
	line.IsOthers = line.IsOthers || err == nil || c.Client == client.Codex && c.Getenv("CLAUDECODE") != "" || c.Client == "" && c.Getenv("CODEX_THREAD_ID") != ""
	return line
}

// ClientPID returns the number of Claude Code's process, or 0 for another client or if it is unknown.
func (c *Call) ClientPID() int {
	if c.Client != "" {
		return 0
	}
	return client.PID(c.Getenv)
}

// Process is the part of the operating system that a hook uses.
type Process struct {
	Stdin      io.Reader
	Stdout     io.Writer
	Stderr     io.Writer
	Getenv     func(string) string
	Environ    []string // the variables of this process
	Executable string
	Client     string // the calling client; empty for Claude Code; see package client
	Now        func() time.Time
	Past       time.Time // the time of an event from before the programs were installed, else zero
}

// Main runs a hook in this process and exits.
func Main(h Hook) {
	executable, err := os.Executable()
	if err != nil { // the hook still works; it only cannot find memoryd
		executable = os.Args[0]
	}
	if runtime.GOOS != "linux" { // on other systems it may be the path of a link to the program, made by plugin/hooks/run.sh
		if file, err := filepath.EvalSymlinks(executable); err == nil {
			executable = file
		}
	}
	signal.Ignore(syscall.SIGPIPE) // a write fails instead, which is logged, if the reader is gone
	os.Exit(Run(h, Process{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Environ: os.Environ(), Executable: executable,
		Client: valueOf(clientFlag, os.Args), Now: time.Now, Past: pastIn(os.Args),
	}))
}

// Run runs a hook and returns its exit code, at the deadline at the latest, plus grace on a busy machine. Work that is
// still running then ends with the process.
func Run(h Hook, p Process) int {
	p.Getenv = config.FilterGetenv(p.Getenv)
	layout := paths.FromEnv(p.Getenv)
	settings := layout.ConfigFile()
	homeErr := private.Home(layout.Home)
	if homeErr != nil { // another user may have written the settings, and named another store
		settings = ""
	}
	cfg, problems := config.Load(settings, p.Getenv)
	if cfg.Disabled {
		if cfg.Unread == "" && h.Off == nil {
			return 0
		}
		h.Run = isOff(h, cfg.Unread)
	}
	limit := h.Limit(cfg.Hooks)
	if !p.Past.IsZero() {
		p, cfg, limit = replayed(p), capturing(cfg), replayLimit
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()

	finished := make(chan result, 1)
	go func() { finished <- work(ctx, h, p, layout, cfg) }()
	r := result{}
	select {
	case r = <-finished:
	case <-time.After(limit + grace):
		r.err = fmt.Errorf("%w %s after its deadline of %s", errGaveUp, grace, limit)
	}
	errs := []error{r.err, r.output.Encode(p.Stdout)}
	for _, problem := range problems {
		errs = append(errs, errors.New(problem.String()))
	}
	if err := errors.Join(errs...); err != nil && homeErr == nil && !errors.Is(err, consent.ErrHome) {
		logLine(layout.HookLog(), p.Now(), h.Name(), r.session, err)
	}
	if !p.Past.IsZero() && (errors.Is(r.err, ErrNotStored) || errors.Is(r.err, errGaveUp)) {
		return exitAgain
	}
	return 0
}

// replayed returns p with the event's own time and without outputs, because no session reads them.
func replayed(p Process) Process {
	at := p.Past
	p.Now = func() time.Time { return at }
	p.Stdout, p.Stderr = io.Discard, io.Discard
	return p
}

// isOff returns what a hook runs while memory is off everywhere: its Off. If it has none, it tells the user at SessionStart why the
// switch could not be read.
func isOff(h Hook, reason string) func(context.Context, *Call) (hookio.Output, error) {
	return func(ctx context.Context, call *Call) (hookio.Output, error) {
		if h.Off != nil {
			return h.Off(ctx, call)
		}
		return atStart(call.Input.HookEventName, "the memory is off, and nothing is captured, until this is corrected: "+describe.Text(reason)+"; memory doctor has the remedy"), nil
	}
}

// atStart returns an output that shows a text to the user, if the event is SessionStart, else none.
func atStart(event, text string) hookio.Output {
	if event != hookio.SessionStart {
		return hookio.Output{}
	}
	return hookio.Output{SystemMessage: "surrealdb-memory: " + text}
}

// ErrNotStored is returned for an event that could not be written to any spool.
var ErrNotStored = errors.New("event is lost")

var errGaveUp = errors.New("gave up")

// grace is the time after the deadline in which a hook may finish its own work on a busy machine: reading the input and
// writing an event to disk. Waiting for other processes ends at the deadline.
const grace = 400 * time.Millisecond

type result struct {
	output  hookio.Output
	session string
	err     error
}

func work(ctx context.Context, h Hook, p Process, layout paths.Layout, cfg config.Config) (r result) {
	defer func() {
		if cause := recover(); cause != nil {
			r = result{session: r.session, err: fmt.Errorf("panic: %v: %s", cause, strings.ReplaceAll(string(debug.Stack()), "\n", " | "))}
		}
	}()
	input, err := hookio.Decode(p.Stdin)
	r.session = input.SessionID
	if errors.Is(err, hookio.ErrEmpty) {
		r.err = err
		return r
	}
	input.HookEventName = cmp.Or(input.HookEventName, h.Event) // the input ended before the name, or has none
	if p.Client != "" {
		p.Getenv = foreign(p.Getenv)
	} else if input.HookEventName != h.Event {
		r.err = errors.Join(err, fmt.Errorf("this program serves %s only, but was called for %q: check hooks.json", h.Event, input.HookEventName))
		return r
	}
	where, _ := project.Identify(cmp.Or(p.Getenv("CLAUDE_PROJECT_DIR"), input.CWD)) // the project can be used even if the repository is broken
	homeErr := consent.CheckHome(layout, p.Getenv, where)
	input.SessionID, where.Key = redact.Clean(input.SessionID), redact.Clean(where.Key) // the client chooses these texts, and they may contain a secret
	run, isHeld := h.Run, false
	switch mark := layout.OffMarker(where.Key); {
	case homeErr != nil:
		r.err, r.output, run = homeErr, atStart(input.HookEventName, "the memory is off here, and nothing is captured: "+describe.Text(homeErr.Error())), h.Off
	case !where.IsOff(mark):
	case where.IsUnsure(mark):
		cfg, isHeld = capturing(cfg), true
	default:
		r, run = stayOff(ctx, layout, where, input.HookEventName), h.Off
	}
	if run == nil {
		return r
	}
	call := &Call{
		Input: input, Project: where, InputErr: err, Client: p.Client, Past: !p.Past.IsZero() || isHeld, Held: isHeld, Config: cfg,
		Paths: layout, Executable: p.Executable,
		Getenv: p.Getenv, Environ: func() []string { return consent.SafeEnvironment(p.Environ, where) }, Now: p.Now, Stderr: p.Stderr,
		IsRefused: homeErr != nil,
	}
	var runErr error
	if p.Client == "" {
		r.output, runErr = run(ctx, call)
	} else {
		r.output, runErr = serveCodex(p.Client, h.Event, input, func(in hookio.Input) (hookio.Output, error) {
			one := *call
			one.Input = in
			return run(ctx, &one)
		})
	}
	r.err = errors.Join(r.err, err, runErr)
	return r
}

// stayOff completes the marks of a project that is off: if only its key or only its folder is marked, it marks the other one, too. At a start it also names both to a
// running daemon, so that the project stays off when it is moved or its remote is used elsewhere. It tells the user once if another
// project is the reason. It waits for no answer, and ignores errors.
func stayOff(ctx context.Context, layout paths.Layout, where project.Project, event string) (r result) {
	mark := layout.OffMarker(where.Key)
	_, isMarked, _ := where.OffSince(mark, mark, nil)
	if !isMarked || event != hookio.SessionStart {
		return r
	}
	_ = daemonclient.Daemon{Paths: layout}.Notify(ctx, daemonapi.MethodPlace.Call(daemonapi.PlaceParams{Key: where.Key, Root: where.Root}, nil))
	if why := where.OffNotice(mark); why != "" {
		r.output = atStart(event, describe.Text(why))
	}
	return r
}

// logLine appends one line to the log. It ignores errors: a hook has no other place to report them.
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

// maxLogBytes is the size at which the log is rotated. One rotated file is kept.
const maxLogBytes = 1 << 20

// rotate renames the log if it has reached maxLogBytes. The open file stays usable. If several processes rotate, only one renames.
func rotate(open *os.File, file string) {
	info, err := open.Stat()
	if err != nil || info.Size() < maxLogBytes {
		return
	}
	if named, err := os.Stat(file); err == nil && os.SameFile(info, named) {
		_ = os.Rename(file, file+".old")
	}
}

// clientFlag is the argument before the name of a calling client other than Claude Code.
const clientFlag = "--client"

// valueOf returns the argument after a flag, if these are the last two, or "".
func valueOf(flag string, args []string) string {
	if n := len(args); n >= 2 && args[n-2] == flag {
		return args[n-1]
	}
	return ""
}

// serveCodex runs a hook for Codex, once for each input of its event that Claude Code would have sent.
func serveCodex(name, event string, given hookio.Input, run func(hookio.Input) (hookio.Output, error)) (hookio.Output, error) {
	if name != client.Codex {
		return hookio.Output{}, fmt.Errorf("%s %q: the only value is %s", clientFlag, name, client.Codex)
	}
	var merged hookio.Output
	var failed []error
	for _, input := range client.CodexInputs(given) {
		if input.HookEventName != event {
			continue
		}
		output, err := run(input)
		merged, failed = merge(merged, output), append(failed, err)
	}
	return client.CodexOutput(given.HookEventName, merged), errors.Join(failed...)
}

// merge joins the contexts and messages of two outputs. The decision of b wins.
func merge(a, b hookio.Output) hookio.Output {
	if b.Permission == "" {
		b.Permission, b.Reason = a.Permission, a.Reason
	}
	b.AdditionalContext = strings.TrimPrefix(a.AdditionalContext+"\n"+b.AdditionalContext, "\n")
	b.SystemMessage = strings.TrimSpace(a.SystemMessage + "\n" + b.SystemMessage)
	return b
}

// foreign hides Claude Code's variables from getenv, because Codex may run in the shell of a Claude Code session.
// CLAUDE_CONFIG_DIR stays visible: it locates the memory's home.
func foreign(getenv func(string) string) func(string) string {
	return func(name string) string {
		if strings.HasPrefix(name, "CLAUDE_") && name != "CLAUDE_CONFIG_DIR" {
			return ""
		}
		return getenv(name)
	}
}

// atFlag is the argument before the time of an event that happened before the programs were installed: seconds since
// 1970 with a fraction, so that events of the same second stay in order. See plugin/hooks/replay.sh.
const atFlag = "--at"

const (
	replayLimit = 10 * time.Second // no session waits
	exitAgain   = 1                // the exit code if the event is in no spool: plugin/hooks/replay.sh must send it again
)

// pastIn returns the time after atFlag, or the zero time.
func pastIn(args []string) time.Time {
	seconds, err := strconv.ParseFloat(valueOf(atFlag, args), 64)
	if err != nil || !(seconds > 0 && seconds < 1e11) { // the negation also excludes NaN
		return time.Time{}
	}
	return time.UnixMicro(int64(seconds * 1e6))
}

// capturing returns settings with which hooks capture but inject and show nothing.
func capturing(cfg config.Config) config.Config {
	h := &cfg.Hooks
	h.PromptTokens, h.PreToolUseTokens, h.FailureTokens, h.SubagentTokens = 0, 0, 0, 0
	h.Notices = false
	return cfg
}
