//go:build linux

package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
)

// line stands between the agent and a remote store, and can be cut or hold its
// tongue.
type line struct {
	listener net.Listener
	target   string
	hung     atomic.Bool
	calls    sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn
}

func newLine(t *testing.T, target string) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{listener: listener, target: strings.TrimPrefix(target, "ws://")}
	l.calls.Go(l.serve)
	t.Cleanup(func() {
		_ = listener.Close()
		l.cut()
		l.calls.Wait()
	})
	return l
}

func (l *line) serve() {
	for {
		conn, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.keep(conn)
		if l.hung.Load() {
			continue // accepted, and never answered
		}
		l.calls.Go(func() { l.connect(conn) })
	}
}

func (l *line) connect(conn net.Conn) {
	remote, err := net.Dial("tcp", l.target)
	if err != nil {
		_ = conn.Close()
		return
	}
	l.keep(remote)
	l.calls.Go(func() { _, _ = io.Copy(remote, conn); _ = remote.Close() })
	_, _ = io.Copy(conn, remote)
	_ = conn.Close()
}

func (l *line) keep(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = append(l.conns, conn)
}

// cut ends every connection there is.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.conns {
		_ = conn.Close()
	}
	l.conns = nil
}

// TestRemoteStoreThatFails is about a store that is hung, goes away, and refuses
// the password: the session starts in its deadline each time, and what was
// captured arrives later, once.
func TestRemoteStoreThatFails(t *testing.T) {
	t.Parallel()
	endpoint := enginetest.Endpoint(t)
	namespace, database := enginetest.Database(t)
	l := newLine(t, endpoint.URL)
	h := newHome(t)
	h.env = []string{
		"SURREAL_URL=ws://" + l.listener.Addr().String(), "SURREAL_USER=" + endpoint.User,
		"SURREAL_NS=" + namespace, "SURREAL_DB=" + database,
	}
	password := "SURREAL_PASS=" + endpoint.Pass

	// Hung from the start.
	l.hung.Store(true)
	h.spool(t, 0)
	a := h.start(t, password)
	h.sessionStart(t)
	h.expectWaiting(t, 2)

	// It comes back.
	l.hung.Store(false)
	l.cut()
	h.expectStored(t, 1)

	// It goes away while it is used, and comes back.
	l.hung.Store(true)
	l.cut()
	h.spool(t, 1)
	h.sessionStart(t)
	l.hung.Store(false)
	l.cut()
	h.expectStored(t, 2)
	a.stop(t)

	// It refuses the password.
	h.spool(t, 2)
	a = h.start(t, "SURREAL_PASS=wrong")
	h.sessionStart(t)
	h.await(t, "the refusal to be told", func() bool {
		status, err := h.status(t)
		return err == nil && status.State == "waiting" && strings.Contains(status.Reason, "refuses access")
	})
	h.expectWaiting(t, 2)
	a.stop(t)
	a = h.start(t, password)
	h.expectStored(t, 3)
	a.stop(t)
}

// sessionStart runs the real hook, which must end within its deadline; the
// context here only ends a test that failed.
func (h *home) sessionStart(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.hook)
	cmd.Env = append(h.environment(t), h.env...)
	cmd.Stdin = strings.NewReader(`{"session_id":"s2","cwd":"/p","hook_event_name":"SessionStart","source":"startup"}`)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Errorf("session-start: %v\n%s", err, stderr.String())
	}
}

// expectWaiting holds the spool to at least n events: none was lost.
func (h *home) expectWaiting(t *testing.T, n int) {
	t.Helper()
	if got := h.waiting(t); got < n {
		t.Errorf("%d events wait, want at least %d", got, n)
	}
}

// expectStored waits until the spool is empty, and finds each prompt once.
func (h *home) expectStored(t *testing.T, prompts int) {
	t.Helper()
	var status agentapi.StatusResult
	h.await(t, "the store to have everything", func() bool {
		var err error
		status, err = h.status(t)
		return err == nil && status.Spool == agentapi.SpoolStatus{} && status.Store != nil
	})
	if status.Store.Prompts != prompts || status.Store.Sightings != prompts {
		t.Errorf("the store has %+v, want %d prompts and as many sightings", *status.Store, prompts)
	}
}
