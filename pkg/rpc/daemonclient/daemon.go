// Package daemonclient connects a program of the plugin to the daemon: it sends requests and notifications, and
// finds, starts, replaces and ends the daemon. It does not wait until the daemon is ready; callers do so themselves.
package daemonclient

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

const (
	// startPause is the shortest time between two starts, so that a burst of hooks, or a daemon that cannot start,
	// does not start a process every time.
	startPause = 3 * time.Second
	// wakeLimit is how long a capture hook waits for a busy daemon. The event is already safe in the spool, where the
	// daemon finds it by itself.
	wakeLimit = 20 * time.Millisecond
	// beatLimit is the maximum age of the heartbeat of a healthy daemon in use, which beats every five seconds. A
	// daemon with an older heartbeat is pinged.
	beatLimit = 15 * time.Second
	// dialPause is the time between two attempts to connect to a starting daemon.
	dialPause = 5 * time.Millisecond
	// pingLimit is how long a healthy daemon may take to answer a ping.
	pingLimit = 50 * time.Millisecond
)

// Daemon is the daemon of one home, as a program of the plugin uses it.
type Daemon struct {
	Paths      paths.Layout
	Executable string // path of the running program
	Now        func() time.Time
	// Environ returns the environment for the daemon (see package consent); nil for an empty one.
	Environ func() []string
}

// Start starts the daemon, detached from this process, its session and its standard streams. It does nothing if a
// daemon was started within the last three seconds.
func (a Daemon) Start() error {
	mark := a.Paths.StartMarker()
	if info, err := os.Stat(mark); err == nil && a.Now().Sub(info.ModTime()).Abs() < startPause {
		return nil
	}
	if err := private.Make(filepath.Dir(mark)); err != nil {
		return fmt.Errorf("the daemon cannot be started: %w", err)
	}
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return fmt.Errorf("the daemon cannot be started: %w", err)
	}
	_ = os.Remove(a.Paths.Trouble()) // the reason why an earlier start failed
	return a.Launch()
}

// Launch starts the daemon as Start does, even if one was started just before.
func (a Daemon) Launch() error {
	const home = "MEMORY_HOME="
	env := slices.DeleteFunc(slices.Clone(a.environ()), func(pair string) bool { return strings.HasPrefix(pair, home) })
	env = append(env, home+a.Paths.Home) // names the same home to the daemon, wherever the caller has it from
	if err := launch(paths.Program(a.Executable, memoryd), a.Paths.Home, env); err != nil {
		return fmt.Errorf("the daemon cannot be started: %w; build the plugin again or reinstall it", err)
	}
	return nil
}

func (a Daemon) environ() []string {
	if a.Environ == nil {
		return nil
	}
	return a.Environ()
}

// Caller returns the description of this program for the daemon.
func (a Daemon) Caller() daemonapi.Caller {
	caller := daemonapi.Caller{Program: paths.Program(a.Executable, memoryd)}
	for _, pair := range a.environ() {
		if path, isPath := strings.CutPrefix(pair, "PATH="); isPath {
			caller.Path = path
		}
	}
	return caller
}

// Wake notifies the daemon of events in the spool. It starts the daemon if none runs, and replaces a daemon that hangs.
func (a Daemon) Wake(ctx context.Context) error {
	// Without a socket no daemon runs, so nothing is waited for.
	if _, err := os.Stat(a.Paths.Socket()); errors.Is(err, os.ErrNotExist) {
		return a.Start()
	}
	if err := a.Revive(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, wakeLimit)
	defer cancel()
	err := a.Notify(ctx, daemonapi.MethodSpooled.Call(daemonapi.SpooledParams{}, nil))
	if errors.Is(err, ErrNoDaemon) {
		return a.Start()
	}
	return err
}

// Connect connects to the daemon. If none listens, it starts one and tries again until ctx ends. Before each further
// attempt it calls failed, and gives up if failed returns an error.
func (a Daemon) Connect(ctx context.Context, failed func() error) (*Client, error) {
	for {
		client, err := Dial(ctx, a.Paths.Socket())
		if err == nil || ctx.Err() == nil && !errors.Is(err, ErrNoDaemon) {
			return client, err
		}
		if err := a.Start(); err != nil {
			return nil, memory.Mark(err, ErrNoDaemon)
		}
		if !memory.Sleep(ctx, dialPause) {
			return nil, memory.Mark(fmt.Errorf("the daemon did not start in time; %s has the reason", a.Paths.DaemonLog()), ErrNoDaemon)
		}
		if err := failed(); err != nil {
			return nil, err
		}
	}
}

// Call sends one request to a running daemon. It returns ErrNoDaemon if none listens.
func (a Daemon) Call(ctx context.Context, call daemonapi.Call) error {
	return a.connected(ctx, func(client *Client) error { return client.Call(ctx, call) })
}

// Notify sends one notification to a running daemon. It returns ErrNoDaemon if none listens.
func (a Daemon) Notify(ctx context.Context, call daemonapi.Call) error {
	return a.connected(ctx, func(client *Client) error { return client.Notify(ctx, call) })
}

func (a Daemon) connected(ctx context.Context, do func(*Client) error) error {
	client, err := Dial(ctx, a.Paths.Socket())
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return do(client)
}

// Hello identifies this program to the daemon. It waits for no answer: the daemon handles the messages of a connection in order.
func (a Daemon) Hello(ctx context.Context, client *Client) error {
	return client.Notify(ctx, daemonapi.MethodHello.Call(a.Caller(), nil))
}

// Revive replaces a daemon that hangs: its heartbeat is older than beatLimit or in the future, and it does not answer
// a ping. (An idle daemon has an old heartbeat, but answers.) With a recent heartbeat it costs one stat.
func (a Daemon) Revive(ctx context.Context) error {
	if !a.isSilent() || a.Answers(ctx, pingLimit) {
		return nil
	}
	pid := PID(a.Paths)
	if !a.isSilent() { // another process has replaced the daemon: pid may be the new one's
		return nil
	}
	if err := End(ctx, a.Paths, pid); err != nil {
		return fmt.Errorf("replace the daemon that hangs: %w", err)
	}
	_ = os.Remove(a.Paths.Heartbeat())
	_ = os.Remove(a.Paths.StartMarker())
	return a.Start()
}

func (a Daemon) isSilent() bool {
	info, err := os.Stat(a.Paths.Heartbeat())
	return err == nil && a.Now().Sub(info.ModTime()).Abs() > beatLimit
}

// Answers reports whether the daemon answers within limit, whatever the state of its store.
func (a Daemon) Answers(ctx context.Context, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return a.Call(ctx, daemonapi.MethodPing.Call(daemonapi.None{}, nil)) == nil
}

// PID returns the process id in the daemon's pid file, or 0.
func PID(layout paths.Layout) int {
	content, err := os.ReadFile(layout.PIDFile())
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil || pid <= 1 {
		return 0
	}
	return pid
}
