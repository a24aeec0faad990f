package daemonserver_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scarce is a listener that has a caller, or an error in its place.
type scarce struct {
	callers chan any // net.Conn or error
	closed  chan struct{}
}

func (l scarce) Accept() (net.Conn, error) {
	select {
	case <-l.closed:
		return nil, net.ErrClosed
	case next := <-l.callers:
		if err, failed := next.(error); failed {
			return nil, &net.OpError{Op: "accept", Net: "unix", Err: os.NewSyscallError("accept4", err)}
		}
		return next.(net.Conn), nil
	}
}

func (l scarce) Close() error {
	close(l.closed)
	return nil
}

func (scarce) Addr() net.Addr { return &net.UnixAddr{} }

// TestTheServerOutlivesAScarcityOfDescriptors: a process that uses them all delays callers, and does
// not end the daemon. A permanent error ends it.
func TestTheServerOutlivesAScarcityOfDescriptors(t *testing.T) {
	for _, scarcity := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ECONNABORTED} {
		synctest.Test(t, func(t *testing.T) {
			listener := scarce{make(chan any), make(chan struct{})}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			server := &daemonserver.Server{Log: slog.New(slog.DiscardHandler)}
			go func() { done <- server.Serve(ctx, listener) }()
			for range 100 {
				listener.callers <- scarcity
			}
			mine, theirs := net.Pipe()
			listener.callers <- theirs
			_, _ = fmt.Fprintln(mine, `{"jsonrpc":"2.0","id":7,"method":"none"}`)
			if answer, err := bufio.NewReader(mine).ReadString('\n'); err != nil || !strings.Contains(answer, `"id":7`) {
				t.Errorf("after %v a caller is answered %q, %v", scarcity, answer, err)
			}
			_ = mine.Close()
			cancel()
			musttest.Is(t, nil, <-done, "after %v the server ends with", scarcity)
		})
	}
	listener := scarce{make(chan any, 1), make(chan struct{})}
	listener.callers <- syscall.EBADF
	musttest.Is(t, syscall.EBADF, (&daemonserver.Server{Log: slog.New(slog.DiscardHandler)}).Serve(t.Context(), listener), "without a listener the server ends with")
}

// TestCallersThatStopAreNotWaitedFor: as many as are served at once that send nothing or the beginning of a message, or read no
// answer, keep the others waiting for a while and not for ever.
func TestCallersThatStopAreNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := scarce{make(chan any), make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		server := &daemonserver.Server{Log: slog.New(slog.DiscardHandler)}
		go func() { done <- server.Serve(ctx, listener) }()
		for i := range 200 {
			mine, theirs := net.Pipe()
			defer func() { _ = mine.Close() }()
			go func() {
				select {
				case listener.callers <- theirs:
				case <-ctx.Done():
				}
				switch i % 3 {
				case 0:
					_, _ = fmt.Fprint(mine, `{"jsonrpc":"2.0","id":1,"meth`)
				case 1:
					_, _ = fmt.Fprintln(mine, `{"jsonrpc":"2.0","id":1,"method":"none"}`)
				}
			}()
		}
		synctest.Wait()
		mine, theirs := net.Pipe()
		began := time.Now()
		go func() { listener.callers <- theirs }()
		_ = mine.SetDeadline(began.Add(time.Hour))
		_, _ = fmt.Fprintln(mine, `{"jsonrpc":"2.0","id":7,"method":"none"}`)
		if answer, err := bufio.NewReader(mine).ReadString('\n'); err != nil || !strings.Contains(answer, `"id":7`) || time.Since(began) > 3*time.Minute {
			t.Errorf("after %v a caller is answered %q, %v", time.Since(began), answer, err)
		}
		_ = mine.Close()
		cancel()
		musttest.Do(t, <-done)
	})
}
