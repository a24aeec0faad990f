package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

const (
	// callTime bounds one request to the daemon.
	callTime = 30 * time.Second
	// longTime bounds a request that touches every row of a project.
	longTime = 10 * time.Minute
	// startTime bounds the wait for a daemon that was just started. It is up much
	// sooner, unless it has an engine to install.
	startTime = time.Minute
	// socketTime is how long a started daemon may take to listen; it listens before it
	// does anything slow.
	socketTime = 10 * time.Second
	// patience is how long a command waits silently before it names the reason.
	patience  = 500 * time.Millisecond
	pollPause = 10 * time.Millisecond
	// statusTime bounds a request for the status; the daemon gives its store a second of
	// it.
	statusTime = 1400 * time.Millisecond
	// endTime is how long a daemon may take to end; one that takes longer hangs.
	endTime = 10 * time.Second
	// killTime is how long the system may take to end it.
	killTime = 3 * time.Second
	// aliveTime bounds the answer to a health check.
	aliveTime = 300 * time.Millisecond
)

// The daemon's states until it has tried to get its store.
const (
	stateStarting   = "starting"
	stateInstalling = "installing" // the engine or its runtime is being installed
)

func isDaemonStarting(state string) bool { return state == stateStarting || state == stateInstalling }

// caller reaches the daemon of one home.
type caller struct {
	Paths      paths.Layout
	Executable string   // this program; the plugin's others are found from it
	Environ    []string // of programs that are started; see package consent
	Out, Err   io.Writer

	// Where is the project that the command is about. The daemon is told of it once, before the first request, and may know it under
	// another key.
	Where  project.Project
	isTold bool

	wait terminal.Notice // that the daemon is starting
}

// Call sends the daemon one request, and starts it if it is not running.
func (a *caller) Call(ctx context.Context, call daemonapi.Call) error {
	return a.CallWithin(ctx, callTime, call)
}

// CallWithin is Call with a bound of its own.
func (a *caller) CallWithin(ctx context.Context, limit time.Duration, call daemonapi.Call) error {
	defer a.explainWait(ctx)()
	a.tell(ctx)
	err := a.AskWithin(ctx, limit, call)
	if !errors.Is(err, daemonclient.ErrNoDaemon) {
		return err
	}
	if _, err := a.Start(ctx); err != nil {
		return err
	}
	a.tell(ctx)
	return a.AskWithin(ctx, limit, call)
}

// tell tells a running daemon of the project, and the user of a doubt about it. The request that follows reports what is wrong with the
// daemon.
func (a *caller) tell(ctx context.Context) {
	if a.isTold || a.Where.Key == "" {
		return
	}
	doubt, err := daemonapi.MethodPlace.Ask(ctx, a.Ask, daemonapi.PlaceParams{Key: a.Where.Key, Root: a.Where.Root})
	a.isTold = err == nil
	if doubt != "" {
		_, _ = fmt.Fprintln(a.Err, "memory: "+terminal.Printable(doubt))
	}
}

// CallLong is Call for a request that touches every row of a project.
func (a *caller) CallLong(ctx context.Context, call daemonapi.Call) error {
	return a.CallWithin(ctx, longTime, call)
}

// Ask sends a request to a running daemon; its error is daemonclient.ErrNoDaemon if there
// is none.
func (a *caller) Ask(ctx context.Context, call daemonapi.Call) error {
	return a.AskWithin(ctx, callTime, call)
}

// AskWithin is Ask with a bound of its own.
func (a *caller) AskWithin(ctx context.Context, limit time.Duration, call daemonapi.Call) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client, err := daemonclient.Dial(ctx, a.Paths.Socket())
	if errors.Is(err, daemonclient.ErrNoDaemon) {
		return daemonclient.ErrNoDaemon
	}
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	if err := a.Resident().Meet(ctx, client); err != nil {
		return err
	}
	return client.Call(ctx, call)
}

// explainWait prints once to standard error, after half a second, that the command waits for the
// daemon to start. end cancels it.
func (a *caller) explainWait(ctx context.Context) (end func()) {
	return a.wait.After(ctx, patience, a.Err, func(ctx context.Context) string {
		status, err := daemonapi.MethodStatus.Ask(ctx, a.Ask, daemonapi.None{})
		switch {
		case ctx.Err() != nil, err != nil && !errors.Is(err, daemonclient.ErrNoDaemon), err == nil &&
			!isDaemonStarting(status.State):
			return ""
		case status.Trouble != nil:
			return "memory: " + terminal.Printable(status.Trouble.String())
		}
		if _, err := os.Stat(a.Paths.Data()); errors.Is(err, fs.ErrNotExist) {
			return "memory: the daemon is starting; the first start also installs the database engine"
		}
		return "memory: the daemon is starting"
	})
}

// Start starts the daemon if it is not running, and waits until it has tried to connect
// to its store.
func (a *caller) Start(ctx context.Context) (daemonapi.StatusResult, error) {
	defer a.explainWait(ctx)()
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	daemon := a.Resident()
	ticker := time.NewTicker(pollPause)
	defer ticker.Stop()
	begun := time.Now()
	for {
		status, err := daemonapi.MethodStatus.Ask(ctx, a.Ask, daemonapi.None{})
		if err == nil && !isDaemonStarting(status.State) {
			return status, nil
		}
		if errors.Is(err, daemonclient.ErrNoDaemon) {
			if time.Since(begun) > socketTime {
				return status,
					fmt.Errorf("%w, and one that was started has ended; memory daemon logs has the reason, memory doctor the remedy", daemonclient.ErrNoDaemon)
			}
			if err := daemon.Start(); err != nil { // at most one process in three seconds
				return status, fmt.Errorf("%w, and it cannot be started: %w", daemonclient.ErrNoDaemon, err)
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			if status.Trouble != nil {
				return status, fmt.Errorf("the daemon is not ready after %s: %w: %s", startTime, memory.ErrUnavailable, status.Trouble)
			}
			return status, fmt.Errorf("the daemon is not ready after %s; memory daemon logs has the reason: %w",
				startTime, errors.Join(ctx.Err(), err))
		}
	}
}

// Stop stops the daemon, and reports whether one was running.
func (a *caller) Stop(ctx context.Context) (bool, error) {
	client, err := daemonclient.Dial(ctx, a.Paths.Socket())
	if errors.Is(err, daemonclient.ErrNoDaemon) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = client.Close() }()
	if !a.Resident().Answers(ctx, aliveTime) { // it hangs: the next daemon stores the events that this one had claimed
		return true, a.kill(ctx)
	}
	waiting, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	if err := client.Notify(waiting, daemonapi.MethodStop.Call(daemonapi.None{}, nil)); err != nil {
		return false, err
	}
	lock := flock.New(a.Paths.Lock())
	_, err = lock.TryRLockContext(waiting, pollPause)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return true, a.kill(ctx)
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return false, fmt.Errorf("wait for the daemon's end; its pid is in %s: %w", a.Paths.PIDFile(), err)
	}
	return true, lock.Unlock()
}

// kill ends a daemon that hangs. The next one stores the events that it had claimed.
func (a *caller) kill(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, killTime)
	defer cancel()
	return daemonclient.End(ctx, a.Paths, daemonclient.PID(a.Paths))
}

// Resident finds and starts the daemon. It uses the real clock, because it compares
// times of files.
func (a *caller) Resident() daemonclient.Daemon {
	return daemonclient.Daemon{Paths: a.Paths, Executable: a.Executable, Now: time.Now, Environ: func() []string { return a.Environ }}
}

// IsRunning reports whether a daemon is listening.
func (a *caller) IsRunning(ctx context.Context) bool {
	client, err := daemonclient.Dial(ctx, a.Paths.Socket())
	if err != nil {
		return false
	}
	return client.Close() == nil
}

// Memoryd runs memoryd with arguments and waits for its end. Its output, errors
// included, goes to the user.
func (a *caller) Memoryd(ctx context.Context, arguments ...string) error {
	if err := os.MkdirAll(a.Paths.Home, 0o700); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, paths.Program(a.Executable, "memoryd"), arguments...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = callTime
	cmd.Dir = a.Paths.Home // as when a hook starts it
	cmd.Env = slices.Concat(consent.Network(os.Environ()), a.Environ, []string{"MEMORY_HOME=" + a.Paths.Home})
	cmd.Stdout, cmd.Stderr = a.Out, a.Err
	err := cmd.Run()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		return fmt.Errorf("%s failed, for the reason in the line above", arguments[0])
	case err != nil:
		return fmt.Errorf("%w: run memoryd: %w; build the plugin again or reinstall it", memory.ErrUnavailable, err)
	}
	return nil
}

// RunProgram runs a program of the plugin with this environment. If it wrote
// anything, its exit code is ignored.
func (a *caller) RunProgram(ctx context.Context, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, paths.Program(a.Executable, program), args...)
	cmd.Env = append(slices.Clone(a.Environ), "MEMORY_HOME="+a.Paths.Home)
	output, err := cmd.Output()
	var exited *exec.ExitError
	if errors.As(err, &exited) && len(output) > 0 {
		err = nil
	}
	return output, err
}
