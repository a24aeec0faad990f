package dashboard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
)

// queue is a listener without a network: callers wait in a channel.
type queue struct {
	callers chan net.Conn
	closed  chan struct{}
}

func newQueue() queue { return queue{make(chan net.Conn, 1000), make(chan struct{})} }

func (q queue) Accept() (net.Conn, error) {
	select {
	case conn := <-q.callers:
		return conn, nil
	case <-q.closed:
		return nil, net.ErrClosed
	}
}

func (q queue) Close() error {
	close(q.closed)
	return nil
}

func (queue) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

// call is a new connection: the caller's end.
func (q queue) call() net.Conn {
	mine, theirs := net.Pipe()
	q.callers <- local{theirs}
	return mine
}

// local is a connection of this machine.
type local struct{ net.Conn }

func (local) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40_000} }
func (local) LocalAddr() net.Addr  { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

// secretive is a system that does not say whose processes connect.
func secretive(netip.AddrPort, netip.AddrPort) (int, error) { return 0, ErrUnknownUser }

// TestStrangersTakeFewDescriptors: of a thousand connections that send nothing the door
// has its number open, and those that wait take the places of those that leave.
func TestStrangersTakeFewDescriptors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waiting := newQueue()
		entrance := newDoor(waiting, secretive, slog.New(slog.DiscardHandler))
		for range cap(waiting.callers) {
			waiting.call()
		}
		in := make(chan net.Conn, cap(waiting.callers))
		ended := make(chan error, 1)
		go func() {
			for {
				conn, err := entrance.Accept()
				if err != nil {
					ended <- err
					return
				}
				in <- conn
			}
		}()
		synctest.Wait()
		if len(in) != 64 {
			t.Fatalf("%d connections are open, want 64", len(in))
		}
		for range 10 {
			first := <-in
			_, _ = first.Close(), first.Close() // a second time gives no second place
		}
		synctest.Wait()
		if len(in) != 64 {
			t.Errorf("after ten have left %d are open, want 64", len(in))
		}
		_ = entrance.Close()
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("a closed door that is full ends with %v", err)
		}
	})
}

// absent is an agent that answers nothing.
type absent struct{}

func (absent) Ask(context.Context, agentapi.Call) error { return errors.New("nobody is there") }

// TestARequestThatNeverComesEnds: whatever of it is missing, its connection is closed within
// seconds, for strangers and for a browser that was let in.
func TestARequestThatNeverComesEnds(t *testing.T) {
	for name, sent := range map[string]string{
		"nothing":            "",
		"half of a header":   "GET / HTTP/1.1\r\nHost: 127.0",
		"a key without body": "POST /enter HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 30\r\n\r\nkey=",
		"a stranger's form":  "POST /undo HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Length: 200000\r\n\r\nx",
		"a visitor's form":   "POST BASE/undo HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nOrigin: http://127.0.0.1:8080\r\nX-Form-Token: TOKEN\r\nCookie: COOKIE\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 200\r\n\r\nrun=",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				waiting := newQueue()
				d := New(Options{Agent: absent{}, Log: slog.New(slog.DiscardHandler), Now: time.Now, Folder: t.TempDir(), UserOf: secretive})
				d.serve(waiting)
				cookie := visitorOf(d.guard)
				sent := strings.NewReplacer("BASE", d.guard.base, "COOKIE", cookie.Name+"="+cookie.Value, "TOKEN", d.guard.formToken(cookie.Value)).Replace(sent)
				conn, began := waiting.call(), time.Now()
				go func() { _, _ = io.WriteString(conn, sent) }()
				_, err := io.Copy(io.Discard, conn)
				if took := time.Since(began); err != nil || took > 10*time.Second {
					t.Errorf("it ended after %v, %v", took, err)
				}
				_ = conn.Close()
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestWhatHappensLiveGoesOn: only the request has to come soon, its answer may take as
// long as it takes.
func TestWhatHappensLiveGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waiting := newQueue()
		d := New(Options{Agent: patient{}, Log: slog.New(slog.DiscardHandler), Now: time.Now, Folder: t.TempDir(), UserOf: secretive})
		d.serve(waiting)
		cookie := visitorOf(d.guard)
		conn, began := waiting.call(), time.Now()
		go func() {
			_, _ = fmt.Fprintf(conn, "GET %s/events HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nCookie: %s=%s\r\n\r\n", d.guard.base, cookie.Name, cookie.Value)
		}()
		lines := bufio.NewScanner(conn)
		for alive := 0; alive < 5 && lines.Scan(); {
			if strings.HasPrefix(lines.Text(), ": alive") {
				alive++
			}
		}
		if took := time.Since(began); lines.Err() != nil || took < 3*requestTime {
			t.Errorf("the stream ended after %v: %v", took, lines.Err())
		}
		_ = conn.Close()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

// patient is an agent in which nothing happens.
type patient struct{}

func (patient) Ask(ctx context.Context, call agentapi.Call) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(feedWait * time.Millisecond):
	}
	return call.Take(1, []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
}

// visitorOf lets a browser in.
func visitorOf(g *guard) *http.Cookie {
	response := httptest.NewRecorder()
	g.welcome(response)
	return response.Result().Cookies()[0]
}
