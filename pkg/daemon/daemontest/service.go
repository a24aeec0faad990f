package daemontest

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// Running is a service with its socket.
type Running struct {
	Service *daemon.Service
	Daemon  *Fixture
	Socket  string
	Spool   *spool.Spool
	Ended   chan error
	Cancel  context.CancelFunc
	Advance func(time.Duration) // moves the daemon's clock; only with the option that sets it
}

// Serve runs a service with the given Prepare until the test ends.
func Serve(t *testing.T, prepare func(context.Context) error, options ...func(*Running)) *Running {
	t.Helper()
	a, _, s := New(t)
	r := &Running{
		Service: NewService(t, a, prepare), Daemon: a, Socket: filepath.Join(t.TempDir(), "daemon.sock"), Spool: s, Ended: make(chan error, 1),
	}
	for _, option := range options {
		option(r)
	}
	a.Rebuild()
	r.Service.Daemon = a.Daemon
	listener, err := daemonserver.Listen(r.Socket)
	if err != nil {
		t.Fatal(err)
	}
	var ctx context.Context
	ctx, r.Cancel = context.WithCancel(context.Background())
	go func() { r.Ended <- r.Service.Run(ctx, listener) }()
	t.Cleanup(r.End)
	return r
}

// NewService returns a service of a daemon with a remote store, which nobody replaces.
func NewService(t *testing.T, a *Fixture, prepare func(context.Context) error) *daemon.Service {
	t.Helper()
	if err := os.MkdirAll(a.Layout.Run(), 0o700); err != nil {
		t.Fatal(err)
	}
	return &daemon.Service{
		Daemon: a.Daemon, Version: "test", Prepare: prepare,
		Repair:    func(_ context.Context, fault error) error { return fault },
		Engine:    func() daemonapi.EngineStatus { return daemonapi.EngineStatus{Kind: "remote"} },
		Abandoned: func(time.Duration) string { return "" }, AdoptPath: func(string) bool { return false },
		Outdated: func(context.Context, daemonapi.Caller) bool { return false },
		Explain:  func(err error) daemonapi.Trouble { return daemonapi.Trouble{Problem: err.Error(), Command: "doctor"} },
	}
}

// End ends the service and waits for its end.
func (r *Running) End() {
	r.Cancel()
	err := <-r.Ended
	r.Ended <- err // for the next call of End
}

// Send sends a call to the service over its socket.
func (r *Running) Send(ctx context.Context, call daemonapi.Call) error {
	client, err := daemonclient.Dial(ctx, r.Socket)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return client.Call(ctx, call)
}

// Ready is a Prepare that does nothing.
func Ready(context.Context) error { return nil }

// Hold returns a Prepare that waits until release is called.
func Hold() (prepare func(context.Context) error, release func()) {
	gate := make(chan struct{})
	return func(ctx context.Context) error {
		select {
		case <-gate:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}, func() { close(gate) }
}
