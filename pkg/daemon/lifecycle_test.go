package daemon_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// pipes is a listener without sockets, for tests in which the time is made.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

// resident is a service in a bubble of synctest.
type resident struct {
	service *daemon.Service
	daemon  *daemontest.Fixture
	store   *daemontest.FaultyStore
	spool   *spool.Spool
	pipes   *pipes
	ended   chan error
	cancel  context.CancelFunc
}

func reside(t *testing.T, prepare func(context.Context) error, options ...func(*resident)) *resident {
	t.Helper()
	a, store, s := daemontest.New(t)
	a.Now = time.Now
	r := &resident{service: daemontest.NewService(t, a, prepare), daemon: a, store: store, spool: s, pipes: &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}, ended: make(chan error, 1)}
	for _, option := range options {
		option(r)
	}
	a.Rebuild()
	r.service.Daemon = a.Daemon
	var ctx context.Context
	ctx, r.cancel = context.WithCancel(t.Context())
	go func() { r.ended <- r.service.Run(ctx, r.pipes) }()
	synctest.Wait()
	return r
}

// end ends the service and waits for it.
func (r *resident) end(t *testing.T) {
	t.Helper()
	r.cancel()
	musttest.Do(t, <-r.ended)
}

// ask sends messages on one connection and decodes the answer to the last.
func (r *resident) ask(t *testing.T, result any, messages ...string) {
	t.Helper()
	mine, theirs := net.Pipe()
	defer func() { _ = mine.Close() }()
	r.pipes.conns <- theirs
	for _, m := range messages {
		musttest.Get(fmt.Fprintln(mine, m))(t)
	}
	line, err := bufio.NewReader(mine).ReadBytes('\n')
	if err != nil {
		t.Fatalf("%s: %v", messages[len(messages)-1], err)
	}
	var answer struct {
		Result json.RawMessage
		Error  *daemonapi.Error
	}
	if err := errors.Join(json.Unmarshal(line, &answer), json.Unmarshal(answer.Result, result)); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
}

const (
	askContext = `{"jsonrpc":"2.0","id":1,"method":"session_context","params":{"project":"p","session":"s","token_budget":100,"wait_ms":1000}}`
	askStatus  = `{"jsonrpc":"2.0","id":1,"method":"status"}`
	callerHere = `{"jsonrpc":"2.0","method":"meet","params":{"program":"/new/memoryd","path":"/there"}}`
)

// A caller with a PATH that the daemon lacks helps at once, and is not shown that memory does not work.
func TestTheProgramsOfACallerAreTriedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		found := false
		r := reside(t, func(context.Context) error {
			if !found {
				return errors.New("no engine")
			}
			return nil
		}, func(r *resident) {
			r.service.AdoptPath = func(path string) bool { musttest.Same(t, "/there", path, "looks at"); found = true; return true }
		})
		time.Sleep(45 * time.Second) // of the bubble: the pauses have become long
		began := time.Now()
		var context daemonapi.ContextResult
		r.ask(t, &context, callerHere, askContext)
		if context.Trouble != nil || time.Since(began) > 10*time.Millisecond {
			t.Errorf("answered after %v with the trouble %+v", time.Since(began), context.Trouble)
		}
		r.end(t)
	})
}

// So does a caller that comes while an attempt is under way, which began without the programs.
func TestTheProgramsOfACallerAreTriedAfterTheAttemptUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var found atomic.Bool
		r := reside(t, func(context.Context) error {
			has := found.Load()
			time.Sleep(50 * time.Millisecond)
			if !has {
				return errors.New("no engine")
			}
			return nil
		}, func(r *resident) { r.service.AdoptPath = func(string) bool { return !found.Swap(true) } })
		var context daemonapi.ContextResult
		r.ask(t, &context, callerHere, askContext)
		if context.Trouble != nil {
			t.Errorf("answered with the trouble %+v", context.Trouble)
		}
		r.end(t)
	})
}

// A daemon that is to make room answers the waiting requests first, and then ends.
func TestADaemonThatMakesRoomAnswersFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := reside(t, daemontest.Ready, func(r *resident) {
			r.service.Outdated = func(context.Context, daemonapi.Caller) bool { return true }
			r.daemon.Store = &lateStore{r.daemon.Store, 2 * time.Second}
		})
		var runs []memory.Run
		r.ask(t, &runs, callerHere, `{"jsonrpc":"2.0","id":1,"method":"runs","params":5}`)
		began := time.Now()
		if err := <-r.ended; err != nil || time.Since(began) > 100*time.Millisecond {
			t.Errorf("ended %v after its answer: %v", time.Since(began), err)
		}
	})
}

// lateStore takes its time to list runs.
type lateStore struct {
	daemon.Store
	late time.Duration
}

func (s *lateStore) Runs(ctx context.Context, q memory.RunQuery) ([]memory.Run, error) {
	time.Sleep(s.late)
	return s.Store.Runs(ctx, q)
}

// A store that was ready and no longer accepts writes: events wait, the status shows it at once, and
// sessions are warned when it lasts.
func TestAStoreWithoutWritesIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var full atomic.Bool
		r := reside(t, daemontest.Ready, func(r *resident) {
			r.service.Explain = func(err error) daemonapi.Trouble {
				return daemonapi.Trouble{Problem: err.Error(), Command: "backup rebuild --yes"}
			}
			r.store.Fail = func(memory.Batch) error {
				if full.Load() {
					return fmt.Errorf("disk full: %w", memory.ErrUnavailable)
				}
				return nil
			}
		})
		full.Store(true)
		daemontest.Put(t, r.spool, daemontest.Prompt(1, "waits"))
		time.Sleep(6 * time.Second) // one look at the spool
		var status daemonapi.StatusResult
		r.ask(t, &status, askStatus)
		if status.State != "waiting" || status.Trouble == nil || status.Trouble.Command != "backup rebuild --yes" || status.Store == nil || status.Spool.New != 1 {
			t.Errorf("status is %+v", status)
		}
		var context daemonapi.ContextResult
		r.ask(t, &context, askContext)
		if context.Trouble != nil {
			t.Errorf("a session is shown %+v after one failure", context.Trouble)
		}
		time.Sleep(15 * time.Second)
		r.ask(t, &context, askContext)
		if context.Trouble == nil || context.Trouble.Command != "backup rebuild --yes" {
			t.Errorf("a session is shown %+v", context.Trouble)
		}
		full.Store(false)
		time.Sleep(6 * time.Second)
		status = daemonapi.StatusResult{}
		r.ask(t, &status, askStatus)
		if status.State != "ready" || status.Reason != "" || status.Trouble != nil || status.Spool != (daemonapi.SpoolStatus{}) {
			t.Errorf("with a store that works again the status is %+v", status)
		}
		r.end(t)
	})
}

// A long preparation is reported, and nobody waits for it.
func TestAnInstallationIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, release := daemontest.Hold()
		var service *daemon.Service
		r := reside(t, func(ctx context.Context) error {
			service.Report(daemonapi.Trouble{Problem: "the engine is being installed (71 MB)"})
			return gate(ctx)
		}, func(r *resident) { service = r.service })
		began := time.Now()
		var context daemonapi.ContextResult
		r.ask(t, &context, askContext)
		if context.Trouble == nil || context.Trouble.Problem != "the engine is being installed (71 MB)" || time.Since(began) > 0 {
			t.Errorf("got %+v after %v", context.Trouble, time.Since(began))
		}
		go func() {
			time.Sleep(5 * time.Second)
			release()
		}()
		var runs []memory.Run // people wait for it, hooks do not
		r.ask(t, &runs, `{"jsonrpc":"2.0","id":1,"method":"runs","params":5}`)
		if waited := time.Since(began); waited < 5*time.Second || waited > 6*time.Second {
			t.Errorf("a question was answered after %v", waited)
		}
		context = daemonapi.ContextResult{}
		r.ask(t, &context, askContext)
		if context.Trouble != nil {
			t.Errorf("got %+v after the installation", context.Trouble)
		}
		r.end(t)
	})
}

// Whose home was replaced takes nothing out of the new one's spool, deletes nothing there, and ends.
func TestWhoseHomeWasReplacedLeavesTheNewOneAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lost atomic.Bool
		r := reside(t, daemontest.Ready, func(r *resident) { r.daemon.Owned = func() bool { return !lost.Load() } })
		r.store.Fail = func(memory.Batch) error { lost.Store(true); return nil } // while it stores the event
		daemontest.Put(t, r.spool, daemontest.Prompt(1, "of the new home"))
		began := time.Now()
		if err := <-r.ended; err != nil || time.Since(began) > 6*time.Second {
			t.Errorf("ended after %v: %v", time.Since(began), err)
		}
		musttest.Same(t, spool.Counts{New: 1}, daemontest.Counts(t, r.spool), "spool (-want +got)")
		for _, file := range []string{r.daemon.Layout.ReadyMarker(), r.daemon.Layout.Heartbeat()} {
			musttest.Is(t, nil, musttest.Err(os.Stat(file)), "a mark of the new daemon was deleted")
		}
	})
}

// A daemon in use writes a sign of life every few seconds; an idle one lets the disk sleep.
func TestADaemonInUseBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := reside(t, daemontest.Ready)
		daemontest.Put(t, r.spool, daemontest.Prompt(1, "of an open session")) // or it would end
		old := func() bool {
			t.Helper()
			long := time.Unix(1, 0)
			musttest.Do(t, os.Chtimes(r.daemon.Layout.Heartbeat(), long, long))
			time.Sleep(6 * time.Second)
			info := musttest.Get(os.Stat(r.daemon.Layout.Heartbeat()))(t)
			return info.ModTime().Equal(long)
		}
		if old() {
			t.Error("no beat within 6 seconds")
		}
		time.Sleep(2 * time.Hour)
		if !old() {
			t.Error("an idle daemon beats")
		}
		r.ask(t, &struct{}{}, `{"jsonrpc":"2.0","method":"spooled"}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if old() {
			t.Error("no beat when it is in use again")
		}
		r.end(t)
	})
}

// A daemon stays through a pause of an open session, and leaves soon after the last session has ended.
func TestTheDaemonEndsAfterTheLastSession(t *testing.T) {
	for name, c := range map[string]struct {
		events []memory.EventKind
		lives  time.Duration
	}{
		"no session":       {nil, 30 * time.Minute},
		"an open session":  {[]memory.EventKind{memory.EventSessionStarted}, 12 * time.Hour},
		"an ended session": {[]memory.EventKind{memory.EventSessionStarted, memory.EventSessionEnded}, 30 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := reside(t, daemontest.Ready)
				for i, kind := range c.events {
					e := daemontest.Prompt(i+1, "")
					e.Kind = kind
					daemontest.Put(t, r.spool, e)
				}
				began := time.Now()
				musttest.Do(t, <-r.ended)
				if lived := time.Since(began); lived < c.lives || lived > c.lives+time.Minute {
					t.Errorf("it lived for %v, want %v", lived, c.lives)
				}
			})
		})
	}
}
