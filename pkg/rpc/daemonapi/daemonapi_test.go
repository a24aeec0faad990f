package daemonapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonserver"
)

func TestMain(m *testing.M) {
	if job := os.Getenv(strangerVariable); job != "" {
		stranger(job)
		return
	}
	goleak.VerifyTestMain(m)
}

type sum struct{ A, B int }

var adding = daemonapi.Method[sum, int]{Name: "add"}

// serve runs a server for the test and returns its socket.
func serve(t *testing.T, handlers []daemonapi.Handler) string {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "daemon.sock")
	serveAt(t, socket, handlers)
	return socket
}

func serveAt(t *testing.T, socket string, handlers []daemonapi.Handler) {
	t.Helper()
	listener := musttest.Get(daemonserver.Listen(socket))(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	server := &daemonserver.Server{Handlers: handlers, Log: slog.New(slog.DiscardHandler)}
	go func() { done <- server.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		musttest.Is(t, nil, <-done, "serve")
	})
}

func dial(t *testing.T, socket string) *daemonclient.Client {
	t.Helper()
	client := musttest.Get(daemonclient.Dial(t.Context(), socket))(t)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func add(_ context.Context, p sum) (int, error) { return p.A + p.B, nil }

func TestCallsAreAnsweredInOrder(t *testing.T) {
	socket := serve(t, []daemonapi.Handler{adding.Handle(add)})
	var wg sync.WaitGroup
	for caller := range 8 {
		wg.Go(func() {
			client := dial(t, socket)
			for i := range 50 {
				var got int
				if err := client.Call(t.Context(), adding.Call(sum{caller, i}, &got)); err != nil {
					t.Error(err)
				} else if got != caller+i {
					t.Errorf("%d + %d is %d", caller, i, got)
				}
			}
		})
	}
	wg.Wait()
}

func TestErrorsKeepTheirMeaning(t *testing.T) {
	answer := func(name string, answer any, err error) daemonapi.Handler {
		return daemonapi.Handler{Method: name, Answer: func(context.Context, json.RawMessage) (any, error) { return answer, err }}
	}
	socket := serve(t, []daemonapi.Handler{
		answer("gone", nil, memory.ErrNotFound), answer("down", nil, memory.ErrUnavailable), answer("bad", nil, memory.ErrInvalid),
		{Method: "panics", Answer: func(context.Context, json.RawMessage) (any, error) { panic("boom") }},
		adding.Handle(add),
		answer("strange", func() {}, nil),
	})
	client := dial(t, socket)
	cases := []struct {
		method string
		params string
		code   int
		is     error
	}{
		{"gone", "", daemonapi.CodeNotFound, memory.ErrNotFound},
		{"down", "", daemonapi.CodeUnavailable, memory.ErrUnavailable},
		{"bad", "", daemonapi.CodeParams, memory.ErrInvalid},
		{"add", "no object", daemonapi.CodeParams, memory.ErrInvalid},
		{"panics", "", daemonapi.CodeInternal, nil},
		{"strange", "", daemonapi.CodeInternal, nil},
		{"unknown", "", daemonapi.CodeMethod, nil},
	}
	for _, c := range cases {
		err := client.Call(t.Context(), (daemonapi.Method[string, daemonapi.None]{Name: c.method}).Call(c.params, nil))
		var answer *daemonapi.Error
		if !errors.As(err, &answer) || answer.Code != c.code {
			t.Errorf("%s: error %v, want code %d", c.method, err, c.code)
		}
		if c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: error %v is not %v", c.method, err, c.is)
		}
	}
}

func TestNotificationIsHandledAndNotAnswered(t *testing.T) {
	notified := make(chan struct{}, 1)
	notify := daemonapi.Method[daemonapi.None, daemonapi.None]{Name: "notify"}
	socket := serve(t, []daemonapi.Handler{
		notify.Handle(func(context.Context, daemonapi.None) (daemonapi.None, error) {
			notified <- struct{}{}
			return daemonapi.None{}, nil
		}),
		adding.Handle(add),
	})
	client := dial(t, socket)
	musttest.Do(t, client.Notify(t.Context(), notify.Call(daemonapi.None{}, nil)))
	var got int
	if err := client.Call(t.Context(), adding.Call(sum{1, 2}, &got)); err != nil || got != 3 {
		t.Errorf("the call after a notification gave %d, %v", got, err)
	}
	<-notified
}

func TestNobodyListens(t *testing.T) {
	_, err := daemonclient.Dial(t.Context(), filepath.Join(t.TempDir(), "none.sock"))
	musttest.Is(t, daemonclient.ErrNoDaemon, err, "the error")
}

func TestCallGivesUpWithItsContext(t *testing.T) {
	hang := daemonapi.Method[daemonapi.None, daemonapi.None]{Name: "hang"}
	socket := serve(t, []daemonapi.Handler{hang.Handle(func(ctx context.Context, _ daemonapi.None) (daemonapi.None, error) {
		<-ctx.Done()
		return daemonapi.None{}, ctx.Err()
	})})
	client := dial(t, socket)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := client.Call(ctx, hang.Call(daemonapi.None{}, nil))
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("error %v, want the deadline's and ErrUnavailable", err)
	}
}

func TestGarbageIsAnsweredAndTheServerLives(t *testing.T) {
	socket := serve(t, []daemonapi.Handler{adding.Handle(add)})
	conn := musttest.Get(net.Dial("unix", socket))(t)
	defer func() { _ = conn.Close() }()
	musttest.Get(conn.Write([]byte("\xff{garbage\n")))(t)
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.Contains(line, `"code":-32700`) {
		t.Errorf("answer %q, %v; want a parse error", line, err)
	}
	var got int
	if err := dial(t, socket).Call(t.Context(), adding.Call(sum{2, 2}, &got)); err != nil || got != 4 {
		t.Errorf("the next caller got %d, %v", got, err)
	}
}

func TestTheSocketIsTheUsersAlone(t *testing.T) {
	socket := serve(t, nil)
	info := musttest.Get(os.Stat(socket))(t)
	musttest.Same(t, 0o600, info.Mode().Perm(), "mode of the socket")
}

func FuzzServer(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"add","params":{"A":1,"B":2}}`))
	f.Add([]byte(`{"id":-1}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, line []byte) {
		socket := serve(t, []daemonapi.Handler{adding.Handle(add)})
		conn := musttest.Get(net.Dial("unix", socket))(t)
		_, _ = conn.Write(append(line, '\n'))
		_ = conn.Close()
		var got int
		if err := dial(t, socket).Call(t.Context(), adding.Call(sum{1, 1}, &got)); err != nil || got != 2 {
			t.Errorf("after %q the next caller got %d, %v", line, got, err)
		}
	})
}

// Zero values are not sent: a hook that only wakes the daemon sends no parameters.
func TestParametersThatAreZeroAreLeftOut(t *testing.T) {
	for call, want := range map[*daemonapi.Call]string{
		new(daemonapi.MethodSpooled.Call(daemonapi.SpooledParams{}, nil)):            `{"jsonrpc":"2.0","method":"spooled"}`,
		new(daemonapi.MethodSpooled.Call(daemonapi.SpooledParams{Spool: "/s"}, nil)): `{"jsonrpc":"2.0","method":"spooled","params":{"spool":"/s"}}`,
		new(daemonapi.MethodKnownSessions.Call([]string{}, nil)):                     `{"jsonrpc":"2.0","method":"known_sessions","params":[]}`,
	} {
		if got, err := call.Message(0); err != nil || string(got) != want {
			t.Errorf("sent is %s, %v, want %s", got, err, want)
		}
	}
}
