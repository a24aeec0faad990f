package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// SessionStart records the start of a session, and injects the context of the project. It may wait for the daemon to start.
var SessionStart = hook.Hook{
	Event:    hookio.SessionStart,
	Deadline: func(h config.Hooks) time.Duration { return h.SessionStartDeadline },
	Run:      runSessionStart,
}

func runSessionStart(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	event := describe.New(call.Occurrence(), memory.EventSessionStarted)
	if event.Session == "" {
		return hookio.Output{}, errNoSession
	}
	event.Source = call.Input.Source
	if call.Past {
		return hookio.Output{}, store(ctx, call, event)
	}

	hasPast := hasPast(call) // asked before this session's own event can be in the journal

	stored := meanwhile(func() error {
		err := put(call, event)
		if event.Source != sourceCompact { // a compaction is in the middle of a turn
			markIdle(call)
			markNested(call)
		}
		return err
	})
	answer, askErr := sessionContext(ctx, call, event, stored)
	putErr := stored()
	markMissed(call, event.Source, askErr != nil || answer.Trouble != nil)
	asked, decisionErr := "", error(nil)
	if hasPast && askErr == nil && answer.Trouble == nil { // the user sees either a problem or the question
		asked, decisionErr = askToDistill(call)
	}
	output := hookio.Context(hookio.SessionStart, answer.Text)
	off := notice(call, answer.Trouble, askErr, isKept(putErr))
	doubt := ""
	if answer.Doubt != "" {
		doubt = "surrealdb-memory: " + answer.Doubt
	}
	output.SystemMessage = joinLines(off, doubt, keptLine(call, answer), asked)
	return output, errors.Join(putErr, askErr, decisionErr)
}

// startLate stores a prompt, and returns the context that the session's start should have had. It returns false if the start had the
// context, or if the daemon is still not ready.
func startLate(ctx context.Context, call *hook.Call, prompt memory.Event) (output hookio.Output, is bool, err error) {
	source, err := os.ReadFile(call.Paths.MissedMarker(prompt.Session))
	if _, notReady := os.Stat(call.Paths.ReadyMarker()); err != nil || notReady != nil {
		return hookio.Output{}, false, nil
	}
	stored := meanwhile(func() error { return put(call, prompt) })
	start := prompt
	start.Source = string(source)
	answer, err := sessionContext(ctx, call, start, stored)
	markMissed(call, start.Source, err != nil || answer.Trouble != nil)
	return hookio.Context(hookio.UserPromptSubmit, answer.Text), true, errors.Join(stored(), err)
}

// joinLines joins texts that are not empty.
func joinLines(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n")
}

// sessionContext asks for the context: a ready daemon within the usual deadline, a starting one within this hook's longer one.
func sessionContext(ctx context.Context, call *hook.Call, event memory.Event, stored func() error) (daemonapi.ContextResult, error) {
	if err := call.Daemon().Revive(ctx); err != nil {
		return daemonapi.ContextResult{}, err
	}
	if _, err := os.Stat(call.Paths.ReadyMarker()); err == nil {
		warm, cancel := context.WithTimeout(ctx, call.Config.Hooks.Deadline)
		defer cancel()
		client, err := daemonclient.Dial(warm, call.Paths.Socket())
		if err == nil {
			return askDaemon(warm, call, client, event, stored)
		}
		if !errors.Is(err, daemonclient.ErrNoDaemon) {
			return daemonapi.ContextResult{}, err
		}
	}
	client, err := startDaemon(ctx, call)
	if err != nil {
		return daemonapi.ContextResult{}, err
	}
	return askDaemon(ctx, call, client, event, stored)
}

// startDaemon connects to the daemon, and starts it first if it does not run. It fails with a daemonTrouble.
func startDaemon(ctx context.Context, call *hook.Call) (*daemonclient.Client, error) {
	trouble := daemonapi.Trouble{Command: "doctor"}
	client, err := call.Daemon().Connect(ctx, func() error {
		if left := leftTrouble(call.Paths.Trouble()); left != nil {
			trouble = *left
			return errors.New(left.Problem)
		}
		return nil
	})
	if err == nil {
		return client, nil
	}
	trouble.Problem = strings.ReplaceAll(err.Error(), "\n", "; ")
	return nil, &daemonTrouble{err, trouble}
}

// askDaemon asks a daemon for the context, and notifies it once the event is stored, because before that the spool may be empty.
func askDaemon(ctx context.Context, call *hook.Call, client *daemonclient.Client, event memory.Event, stored func() error) (daemonapi.ContextResult, error) {
	defer func() { _ = client.Close() }()
	if err := call.Daemon().Hello(ctx, client); err != nil {
		return daemonapi.ContextResult{}, err
	}
	params := daemonapi.SessionContextParams{
		Project: event.Project.Key, Root: event.Project.Root, Client: call.Client,
		Session: event.Session, Source: event.Source, Program: programListens(call),
		TokenBudget: call.Config.Hooks.SessionStartTokens,
		Before:      event.ID, WaitMS: answerTime(ctx),
	}
	var answer daemonapi.ContextResult
	if err := client.Call(ctx, daemonapi.MethodSessionContext.Call(params, &answer)); err != nil {
		return answer, fmt.Errorf("the daemon gave no context for the session: %w", err)
	}
	_ = stored()
	return answer, client.Notify(ctx, daemonapi.MethodSpooled.Call(daemonapi.SpooledParams{}, nil))
}

// distillQuestion returns the question whether a model may read the words of ended sessions. It names the receiver that
// the settings file names, because the daemon reads the same file.
func distillQuestion(call *hook.Call) string {
	d := call.Config.Distill
	return fmt.Sprintf("surrealdb-memory: may a model read your ended sessions, and write down their decisions? In our measurements, the fact that a prompt needed was then in context several times as often. "+
		"Text of each ended session, without secrets and at most %d tokens, would go to %s; %s shows what your last sessions would cost. "+
		"Nothing is sent until you answer. Yes: %s. No: %s.", d.SessionTokens, d.Receiver(),
		cliCommand(call, "distill --estimate 20"), cliCommand(call, "distill on"), cliCommand(call, "distill off"))
}

// askAgainAfter is the time after which an unanswered question is asked a second time.
const askAgainAfter = 7 * 24 * time.Hour

// askToDistill returns the question about distillation, or "" if it is not due. It is asked once there is a past
// session (hasPast), and a last time a week later. It is not asked after an answer, or if a program runs the client.
func askToDistill(call *hook.Call) (string, error) {
	if !isAskable(call) {
		return "", nil
	}
	for _, marker := range call.Paths.DistillOffers() {
		switch offered, err := os.Stat(marker); {
		case err == nil && call.Now().Sub(offered.ModTime()) < askAgainAfter:
			return "", nil
		case err == nil:
			continue
		}
		file, err := os.OpenFile(marker, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		switch {
		case errors.Is(err, fs.ErrExist): // another session was faster
			return "", nil
		case err != nil: // without the marker the user would be asked at each start
			return "", fmt.Errorf("the question about distillation is not asked, because its marker file cannot be written: %w", err)
		}
		return distillQuestion(call), file.Close()
	}
	return "", nil
}

// isAskable reports whether the question is unanswered and a person is there to answer it.
func isAskable(call *hook.Call) bool {
	return !call.Config.Distill.Decided && call.Config.Hooks.Notices &&
		call.Input.Source != sourceCompact && !programListens(call)
}

// hasPast reports whether an event was ever stored; the daemon's journal then exists. If the journal is switched off, it returns true.
func hasPast(call *hook.Call) bool {
	_, err := os.Stat(call.Paths.Journal())
	return err == nil || call.Config.Backup.JournalDays == 0
}

// Setup prepares the store when the user asks for it: it installs the engine and starts the daemon, which brings the schema up to date. It
// can be repeated; without it the daemon does the same at the start of a session. It reports progress on standard error, and
// the outcome in a message to the user.
var Setup = hook.Hook{
	Event:    hookio.Setup,
	Deadline: func(h config.Hooks) time.Duration { return 20 * h.SessionStartDeadline },
	Run:      runSetup,
}

func runSetup(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	steps := []struct {
		title   string
		program string
		args    []string
	}{
		{"finding or installing the database engine", "memoryd", []string{"--install-engine"}},
		{"starting the daemon", "memory", []string{"daemon", "start"}},
	}
	progress := call.Stderr
	for _, step := range steps {
		_, _ = fmt.Fprintf(progress, "surrealdb-memory: %s\n", step.title)
		if err := runProgram(ctx, call, progress, step.program, step.args...); err != nil {
			failed := fmt.Sprintf("surrealdb-memory: %s failed: %v; events are kept in %s for later. To fix it: %s",
				step.title, err, paths.Tildes(call.Paths.Spool(), call.Getenv("HOME")), cliCommand(call, "doctor"))
			_, _ = fmt.Fprintln(progress, failed)
			return hookio.Output{SystemMessage: failed}, err
		}
	}
	const ready = "surrealdb-memory is ready: the daemon runs"
	_, _ = fmt.Fprintln(progress, ready)
	return hookio.Output{SystemMessage: ready}, nil
}

// runProgram runs one of the plugin's programs until it exits.
func runProgram(ctx context.Context, call *hook.Call, output io.Writer, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, paths.Program(call.Executable, name), args...)
	cmd.Env = append(consent.NetworkVariables(os.Environ()), call.Environ()...)
	cmd.Stdout, cmd.Stderr = output, output // the client reads the hook's standard output
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, errors.Join(err, ctx.Err()))
	}
	return nil
}
