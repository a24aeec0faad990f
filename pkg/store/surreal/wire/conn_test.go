package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lxzan/gws"
	"github.com/surrealdb/surrealdb.go/pkg/connection"
	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(enginetest.Wrap(m)) }

func openAt(t *testing.T, locate func() engine.Endpoint, timeout time.Duration) *Conn {
	t.Helper()
	c := Open(Options{Locate: func(context.Context) (engine.Endpoint, error) { return locate(), nil }, Namespace: "claude_memory", Database: "memories", CallTimeout: timeout})
	t.Cleanup(func() { musttest.Do(t, c.Close(context.Background())) })
	return c
}

// script answers the connect and lets reply answer the test's queries.
func script(reply func(conn *gws.Conn, sql string) ([]any, *connection.RPCError, bool)) func(*gws.Conn, connection.RPCRequest) (any, *connection.RPCError, bool) {
	return func(conn *gws.Conn, req connection.RPCRequest) (any, *connection.RPCError, bool) {
		switch sql := queryOf(req); {
		case sql != "":
			return reply3(reply(conn, sql))
		case req.Method == "query":
			return []any{ok(nil), ok(nil), ok(nil)}, nil, false
		case req.Method == "signin":
			return "token", nil, false
		}
		return nil, nil, false
	}
}

func reply3(rows []any, failed *connection.RPCError, hold bool) (any, *connection.RPCError, bool) {
	return rows, failed, hold
}

func TestWebSocketURL(t *testing.T) {
	for in, want := range map[string]string{
		"ws://127.0.0.1:8000":           "ws://127.0.0.1:8000/rpc",
		"ws://127.0.0.1:8000/rpc":       "ws://127.0.0.1:8000/rpc",
		"http://127.0.0.1:8000/rpc/":    "ws://127.0.0.1:8000/rpc",
		"https://db.example.com":        "wss://db.example.com/rpc",
		"wss://db.example.com/tenant/":  "wss://db.example.com/tenant/rpc",
		"wss://u:secret@db.example.com": "wss://db.example.com/rpc",
	} {
		if u, err := webSocketURL(in); err != nil || u.String() != want {
			t.Errorf("%s: got %v, %v, want %s", in, u, err, want)
		}
	}
}

func TestInFlightCallFailsAtOnceWhenTheServerDies(t *testing.T) {
	asked := make(chan struct{}, 1)
	fake := startFake(t, script(func(_ *gws.Conn, sql string) ([]any, *connection.RPCError, bool) {
		if sql == "RETURN 'hang'" {
			asked <- struct{}{}
			return nil, nil, true
		}
		return []any{ok(7)}, nil, false
	}))
	c := openAt(t, func() engine.Endpoint { return engine.Endpoint{URL: fake.url()} }, time.Minute)
	failed := make(chan error, 1)
	go func() {
		_, err := c.exec(t.Context(), "RETURN 'hang'", nil)
		failed <- err
	}()
	<-asked
	fake.drop()
	select {
	case err := <-failed:
		musttest.Is(t, ErrUnavailable, err, "the error")
	case <-time.After(10 * time.Second):
		t.Fatal("the call still hangs")
	}
	rows, err := c.exec(t.Context(), "RETURN 7", nil)
	if err != nil {
		t.Fatalf("after the restart: %v", err)
	}
	var n int
	if err := rows.Decode(0, &n); err != nil || n != 7 {
		t.Errorf("decoded %d, %v", n, err)
	}
}

// TestAServerIsAskedTheWayItIsAskedForWork: a refusal is an answer; after an unanswered call only a write counts.
func TestAServerIsAskedTheWayItIsAskedForWork(t *testing.T) {
	var silent atomic.Value // the queries that are not answered
	silent.Store("")
	var asked atomic.Value
	fake := startFake(t, script(func(_ *gws.Conn, sql string) ([]any, *connection.RPCError, bool) {
		asked.Store(sql)
		part := silent.Load().(string)
		return []any{bad("The table 'project' does not exist")}, nil, part != "" && strings.Contains(sql, part)
	}))
	c := openAt(t, func() engine.Endpoint { return engine.Endpoint{URL: fake.url()} }, time.Minute)
	answers := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		return c.Answers(ctx)
	}
	if err := c.Ping(t.Context()); err == nil { // connects
		t.Error("a ping that was refused has no error")
	}
	if err := c.Answers(t.Context()); err != nil || asked.Load() != readProbe {
		t.Errorf("asked %q, %v", asked.Load(), err)
	}
	silent.Store("UPSERT")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	musttest.Is(t, context.DeadlineExceeded, musttest.Err(c.ExecIdempotent(ctx, "UPSERT note:1", nil)), "a write that is not answered")
	for range 2 {
		if err := answers(); err == nil || asked.Load() != writeProbe {
			t.Errorf("a server whose writes hang is asked %q, %v", asked.Load(), err)
		}
	}
	silent.Store("")
	if err := c.Answers(t.Context()); err != nil || asked.Load() != writeProbe {
		t.Errorf("asked %q, %v", asked.Load(), err)
	}
	if err := c.Answers(t.Context()); err != nil || asked.Load() != readProbe {
		t.Errorf("after an answer it is asked %q, %v", asked.Load(), err)
	}
}

// TestACallIsSentAgainOnlyIfThatIsSafe has the answers to the first attempt; an attempt without one loses its connection.
func TestACallIsSentAgainOnlyIfThatIsSafe(t *testing.T) {
	const conflict = "Failed to commit transaction due to a read or write conflict. This transaction can be retried"
	const consequence = "The query was not executed due to a failed transaction"
	const outgrown = conflict + ": Transaction could not check for conflicts for operation at SequenceNumber 1 as the MemTable only contains " +
		"changes newer than SequenceNumber 2."
	for name, test := range map[string]struct {
		request Request
		answer  []any
		failure string // of the whole call
		isAgain bool
	}{
		"a single statement":               {request: Request{SQL: "UPDATE a"}, answer: []any{bad(conflict)}, isAgain: true},
		"a transaction":                    {request: Request{SQL: "BEGIN; UPDATE a; UPDATE b; COMMIT"}, answer: []any{ok(nil), bad(consequence), bad(conflict)}, isAgain: true},
		"idempotent statements":            {request: Request{SQL: "UPDATE a; UPDATE b", Idempotent: true}, answer: []any{ok("a"), bad(conflict)}, isAgain: true},
		"another failure":                  {request: Request{SQL: "UPDATE a", Idempotent: true}, answer: []any{bad("no")}},
		"outgrown buffers, idempotent":     {request: Request{SQL: "DEFINE INDEX i ON t FIELDS f", Idempotent: true}, answer: []any{bad(outgrown)}, isAgain: true},
		"outgrown buffers, after minutes":  {request: Request{SQL: "DEFINE INDEX i ON t FIELDS f"}, answer: []any{bad(outgrown)}},
		"a lost connection":                {request: Request{SQL: "UPDATE a"}},
		"a lost connection, idempotent":    {request: Request{SQL: "UPDATE a", Idempotent: true}, isAgain: true},
		"an expired session signs in anew": {request: Request{SQL: "CREATE a"}, failure: "The session has expired", isAgain: true},
	} {
		t.Run(name, func(t *testing.T) {
			var fake *fakeServer
			var sent atomic.Int32
			fake = startFake(t, script(func(*gws.Conn, string) ([]any, *connection.RPCError, bool) {
				switch {
				case sent.Add(1) > 1:
					return []any{ok(nil)}, nil, false
				case test.failure != "":
					return nil, &connection.RPCError{Code: -32000, Message: test.failure}, false
				case test.answer == nil:
					fake.drop()
				}
				return test.answer, nil, test.answer == nil
			}))
			c := openAt(t, func() engine.Endpoint { return engine.Endpoint{URL: fake.url()} }, 10*time.Second)
			_, err := c.Run(t.Context(), test.request)
			var failed *StatementError
			switch isRefused := errors.As(err, &failed); {
			case test.isAgain && (err != nil || sent.Load() != 2):
				t.Errorf("sent %d times, %v; want 2 and no error", sent.Load(), err)
			case !test.isAgain && (sent.Load() != 1 || isRefused != (test.answer != nil) || !isRefused && !errors.Is(err, ErrUnavailable)):
				t.Errorf("sent %d times, %v; want 1 and its error", sent.Load(), err)
			}
		})
	}
}

func TestEndlessConflictEndsWithTheContext(t *testing.T) {
	fake := startFake(t, script(func(*gws.Conn, string) ([]any, *connection.RPCError, bool) {
		return []any{bad("Transaction conflict: Resource busy")}, nil, false
	}))
	c := openAt(t, func() engine.Endpoint { return engine.Endpoint{URL: fake.url()} }, 200*time.Millisecond)
	var failed *StatementError
	if _, err := c.exec(t.Context(), "UPDATE a", nil); !errors.As(err, &failed) && !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}

func TestPanicInTheSDKIsAnError(t *testing.T) {
	fake := startFake(t, func(_ *gws.Conn, req connection.RPCRequest) (any, *connection.RPCError, bool) {
		return nil, nil, false // the SDK dereferences the missing sign-in token
	})
	c := openAt(t, func() engine.Endpoint { return engine.Endpoint{URL: fake.url(), User: "u", Pass: "p"} }, 10*time.Second)
	musttest.Says(t, "panic", c.Ping(t.Context()), "the error")
}

func TestSignInTriesRootThenNamespaceThenDatabase(t *testing.T) {
	var mu sync.Mutex
	var levels []string
	fake := startFake(t, func(_ *gws.Conn, req connection.RPCRequest) (any, *connection.RPCError, bool) {
		switch req.Method {
		case "signin":
			given, _ := req.Params[0].(map[string]any)
			mu.Lock()
			levels = append(levels, fmt.Sprint(given["NS"], "/", given["DB"]))
			mu.Unlock()
			if given["DB"] == nil {
				return nil, &connection.RPCError{Code: -32000, Message: "There was a problem with authentication"}, false
			}
			return "token", nil, false
		case "query":
			return []any{ok(true), ok(nil), ok(nil)}, nil, false
		}
		return nil, nil, false
	})
	c := openAt(t, func() engine.Endpoint { return engine.Endpoint{URL: fake.url(), User: "u", Pass: "p"} }, 10*time.Second)
	musttest.Do(t, c.Ping(t.Context()))
	mu.Lock()
	defer mu.Unlock()
	musttest.Same(t, "<nil>/<nil> claude_memory/<nil> claude_memory/memories", strings.Join(levels, " "), "signed in at")
}

func TestHungServerHonoursTheContext(t *testing.T) {
	listener := musttest.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = listener.Close() }()
	held := make(chan net.Conn, 16)
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				close(held)
				return
			}
			held <- conn
		}
	})
	c := openAt(t, func() engine.Endpoint { return engine.Endpoint{URL: "ws://" + listener.Addr().String()} }, time.Minute)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if err := c.Ping(ctx); !errors.Is(err, ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("returned after %s", took)
	}
	if err := c.Close(t.Context()); err != nil { // must not wait for the minute either
		t.Error(err)
	}
	musttest.Is(t, ErrClosed, c.Ping(t.Context()), "after Close")
	_ = listener.Close()
	accepting.Wait()
	for conn := range held {
		_ = conn.Close()
	}
}

func TestSilentServerIsGivenUp(t *testing.T) {
	var connects atomic.Int32
	fake := startFake(t, func(_ *gws.Conn, req connection.RPCRequest) (any, *connection.RPCError, bool) {
		if req.Method == "use" {
			connects.Add(1)
		}
		if queryOf(req) != "" && connects.Load() == 1 {
			return nil, nil, true
		}
		return []any{ok(nil), ok(nil), ok(nil)}, nil, false
	})
	c := openAt(t, func() engine.Endpoint { return engine.Endpoint{URL: fake.url()} }, time.Second)
	musttest.Is(t, ErrUnavailable, c.Ping(t.Context()), "the error")
	musttest.Is(t, nil, c.Ping(t.Context()), "on a fresh connection")
}

func TestLateAnswersDisturbNobody(t *testing.T) {
	release := make(chan struct{})
	fake := startFake(t, script(func(_ *gws.Conn, sql string) ([]any, *connection.RPCError, bool) {
		if sql == "RETURN 'late'" {
			<-release
		}
		return []any{ok(sql)}, nil, false
	}))
	c := openAt(t, func() engine.Endpoint { return engine.Endpoint{URL: fake.url()} }, 10*time.Second)
	musttest.Do(t, c.Ping(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() { _, _ = c.exec(ctx, "RETURN 'late'", nil) })
	}
	cancel()
	callers.Wait()
	close(release)
	for i := range 20 {
		sql := fmt.Sprintf("RETURN %d", i)
		rows := musttest.Get(c.exec(t.Context(), sql, nil))(t)
		var got string
		if err := rows.Decode(0, &got); err != nil || got != sql {
			t.Errorf("asked %q, got the answer to %q, %v", sql, got, err)
		}
	}
}

func TestLargeMessages(t *testing.T) {
	part := strings.Repeat("x", 5_000_000) // the SDK's decoder accepts strings of up to 10,000,000 bytes
	big := []string{part, part, part, part, part}
	fake := startFake(t, script(func(*gws.Conn, string) ([]any, *connection.RPCError, bool) { return []any{ok(big)}, nil, false }))
	c := openAt(t, func() engine.Endpoint { return engine.Endpoint{URL: fake.url()} }, 30*time.Second)
	rows := musttest.Get(c.exec(t.Context(), "RETURN $big", map[string]any{"big": big}))(t)
	var got []string
	if err := rows.Decode(0, &got); err != nil || !slices.Equal(got, big) {
		t.Errorf("got %d parts, %v", len(got), err)
	}
	musttest.Fails(t, musttest.Err(c.exec(t.Context(), "RETURN $big", map[string]any{"big": strings.Repeat("x", maxMessage)})), "a message over the limit was sent")
	musttest.Is(t, nil, c.Ping(t.Context()), "the refused message broke the connection")
}
