package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

const (
	// callTime limits one request to the daemon.
	callTime = 30 * time.Second
	// longTime limits a request that reads every row of the store, or waits for a model.
	longTime = time.Hour
	// startTime limits the wait for a daemon that was just started. Only installing an engine takes nearly as long.
	startTime = time.Minute
	// socketTime is how long a started daemon may take to listen. It listens before it does anything slow.
	socketTime = 10 * time.Second
	// patience is how long a command waits before it prints what it is waiting for.
	patience  = 500 * time.Millisecond
	pollPause = 10 * time.Millisecond
	// statusTime limits a request for the status. The daemon itself waits up to a second for its store.
	statusTime = 1400 * time.Millisecond
	// endTime is how long a daemon may take to end. A slower one counts as hanging.
	endTime = 10 * time.Second
	// killTime is how long the system may take to kill a hanging daemon.
	killTime = 3 * time.Second
	// aliveTime limits a health check.
	aliveTime = 300 * time.Millisecond
)

// The daemon's states before it has tried to open its store.
const (
	stateStarting   = "starting"
	stateInstalling = "installing" // the engine or its runtime is being installed
)

func isDaemonStarting(state string) bool { return state == stateStarting || state == stateInstalling }

// caller sends requests to the daemon of one home.
type caller struct {
	// Resident finds and starts the daemon. It uses the real clock, because it compares times of files.
	Resident daemonclient.Daemon
	Out, Err io.Writer

	// Where is the project of the command. The daemon, which may know the project under another key, gets it before the first request.
	Where  project.Project
	isTold bool
	// AlwaysSuggests asks the daemon which known project the folder may belong to (see daemonapi.MethodPlace) even if the folder's
	// own project has memories. Only memory doctor sets it.
	AlwaysSuggests bool

	toldWait sync.Once // prints the line about a starting daemon only once
}

// Call sends one request to the daemon, and starts the daemon if it is not running.
func (a *caller) Call(ctx context.Context, call daemonapi.Call) error {
	return a.callWithin(ctx, callTime, call)
}

// CallLong does what Call does, within longTime.
func (a *caller) CallLong(ctx context.Context, call daemonapi.Call) error {
	return a.callWithin(ctx, longTime, call)
}

func (a *caller) callWithin(ctx context.Context, limit time.Duration, call daemonapi.Call) error {
	defer a.explainWait(ctx)()
	a.sendProject(ctx)
	err := a.AskWithin(ctx, limit, call)
	if !errors.Is(err, daemonclient.ErrNoDaemon) {
		return err
	}
	if _, err := a.Start(ctx); err != nil {
		return err
	}
	a.sendProject(ctx)
	return a.AskWithin(ctx, limit, call)
}

// sendProject sends the project to a running daemon, and prints the daemon's warning if the folder may belong to another
// known project. It ignores errors, because the next request fails in the same way and reports them.
func (a *caller) sendProject(ctx context.Context) {
	if a.isTold || a.Where.Key == "" {
		return
	}
	place, err := daemonapi.MethodPlace.Ask(ctx, a.Ask, daemonapi.PlaceParams{Key: a.Where.Key, Root: a.Where.Root, Always: a.AlwaysSuggests})
	a.isTold = err == nil
	if place.Doubt != "" {
		_, _ = fmt.Fprintln(a.Err, "memory: "+terminal.Printable(place.Doubt))
	}
}

// Ask sends a request to a running daemon. Without a daemon the error is daemonclient.ErrNoDaemon.
func (a *caller) Ask(ctx context.Context, call daemonapi.Call) error {
	return a.AskWithin(ctx, callTime, call)
}

// AskWithin does what Ask does, within limit.
func (a *caller) AskWithin(ctx context.Context, limit time.Duration, call daemonapi.Call) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client, err := daemonclient.Dial(ctx, a.Resident.Paths.Socket())
	if errors.Is(err, daemonclient.ErrNoDaemon) {
		return daemonclient.ErrNoDaemon
	}
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	if err := a.Resident.Hello(ctx, client); err != nil {
		return err
	}
	return client.Call(ctx, call)
}

// explainWait prints once, after patience, that the command is waiting for the daemon to start. After end has returned, it prints nothing more.
func (a *caller) explainWait(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		select {
		case <-ctx.Done():
		case <-time.After(patience):
			if line := a.whyWaiting(ctx); line != "" {
				a.toldWait.Do(func() { _, _ = fmt.Fprintln(a.Err, "memory: "+line) })
			}
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// whyWaiting returns why the daemon is not ready yet, or "" if it is ready, if ctx has ended, or if it answers with an error.
func (a *caller) whyWaiting(ctx context.Context) string {
	status, err := daemonapi.MethodStatus.Ask(ctx, a.Ask, daemonapi.None{})
	switch {
	case ctx.Err() != nil, err != nil && !errors.Is(err, daemonclient.ErrNoDaemon), err == nil && !isDaemonStarting(status.State):
		return ""
	case status.Trouble != nil:
		return terminal.Printable(status.Trouble.String())
	case !isThere(a.Resident.Paths.Data()):
		return "the daemon is starting; the first start also installs the database engine"
	}
	return "the daemon is starting"
}

// Start starts the daemon if it is not running, and waits until the daemon has tried to open its store. It fails if
// the daemon cannot be started, or is not ready within startTime.
func (a *caller) Start(ctx context.Context) (daemonapi.StatusResult, error) {
	defer a.explainWait(ctx)()
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	ticker := time.NewTicker(pollPause)
	defer ticker.Stop()
	begun := time.Now()
	for {
		status, err := daemonapi.MethodStatus.Ask(ctx, a.Ask, daemonapi.None{})
		if err == nil && !isDaemonStarting(status.State) {
			return status, nil
		}
		if errors.Is(err, private.ErrUnsafe) { // waiting does not help
			return status, err
		}
		if errors.Is(err, daemonclient.ErrNoDaemon) {
			if time.Since(begun) > socketTime {
				return status,
					fmt.Errorf("%w: it was started and has ended; memory daemon logs shows the reason, memory doctor the remedy", daemonclient.ErrNoDaemon)
			}
			if err := a.Resident.Start(); err != nil { // Start does nothing within three seconds of the last start
				return status, memory.Mark(err, daemonclient.ErrNoDaemon)
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			if status.Trouble != nil {
				return status, memory.Mark(fmt.Errorf("the daemon is not ready after %s: %s", startTime, status.Trouble), memory.ErrUnavailable)
			}
			return status, fmt.Errorf("the daemon is not ready after %s (see memory daemon logs): %w", startTime, cmp.Or(err, ctx.Err()))
		}
	}
}

// StartReady does what Start does. It fails with memory.ErrUnavailable if the daemon cannot use its store.
func (a *caller) StartReady(ctx context.Context) (daemonapi.StatusResult, error) {
	status, err := a.Start(ctx)
	if err != nil || status.State == "ready" {
		return status, err
	}
	why := status.Reason
	if status.Trouble != nil {
		why = status.Trouble.String()
	}
	return status, memory.Mark(fmt.Errorf("%s (events wait on disk)", cmp.Or(why, "the store is not ready")), memory.ErrUnavailable)
}

// Stop ends the daemon, by force if it hangs, and reports whether there was one.
func (a *caller) Stop(ctx context.Context) (bool, error) {
	client, err := daemonclient.Dial(ctx, a.Resident.Paths.Socket())
	if errors.Is(err, daemonclient.ErrNoDaemon) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = client.Close() }()
	if !a.Resident.Answers(ctx, aliveTime) { // it hangs
		return true, a.kill(ctx)
	}
	waiting, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	if err := client.Notify(waiting, daemonapi.MethodStop.Call(daemonapi.None{}, nil)); err != nil {
		return false, err
	}
	lock := flock.New(a.Resident.Paths.Lock())
	_, err = lock.TryRLockContext(waiting, pollPause)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return true, a.kill(ctx)
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return false, fmt.Errorf("the daemon may still run (its process is in %s): run memory daemon stop again: %w", a.Resident.Paths.PIDFile(), err)
	}
	return true, lock.Unlock()
}

// kill ends a daemon that hangs. The next daemon ingests the events that it had claimed.
func (a *caller) kill(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, killTime)
	defer cancel()
	return daemonclient.End(ctx, a.Resident.Paths, daemonclient.PID(a.Resident.Paths))
}

// Memoryd runs memoryd with arguments and waits for its end. The program's output goes to the user.
func (a *caller) Memoryd(ctx context.Context, arguments ...string) error {
	if err := os.MkdirAll(a.Resident.Paths.Home, 0o700); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, paths.Program(a.Resident.Executable, "memoryd"), arguments...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = callTime
	cmd.Dir = a.Resident.Paths.Home // as when a hook starts it
	cmd.Env = slices.Concat(consent.NetworkVariables(os.Environ()), a.Resident.Environ(), []string{"MEMORY_HOME=" + a.Resident.Paths.Home})
	cmd.Stdout, cmd.Stderr = a.Out, a.Err
	err := cmd.Run()
	if _, hasRun := errors.AsType[*exec.ExitError](err); hasRun {
		return fmt.Errorf("the %s failed: the lines above have the reason", cmp.Or(map[string]string{"--install-engine": "installation of the engine"}[arguments[0]], strings.TrimPrefix(arguments[0], "--")))
	}
	if err != nil {
		return fmt.Errorf("the program memoryd cannot be started: %w; build the plugin again or reinstall it", err)
	}
	return nil
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
