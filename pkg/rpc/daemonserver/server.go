// Package daemonserver is the daemon's end of the socket: it listens for this user only and passes the messages of
// package daemonapi to handlers. It knows no methods.
package daemonserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// concurrency is the number of callers that are served at once. Other callers wait.
const concurrency = 64

// Server answers callers. It handles the messages of one connection in order.
type Server struct {
	Handlers []daemonapi.Handler // the first one for a method answers it
	Log      *slog.Logger

	underWay atomic.Int64
}

// UnderWay returns the number of requests whose answers are not written yet.
func (s *Server) UnderWay() int { return int(s.underWay.Load()) }

// Serve answers callers until ctx ends. Then it closes the listener and all connections, and returns when the last
// handler has ended. It fails if Accept fails for good.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()

	var connections sync.WaitGroup
	defer connections.Wait()
	defer cancel() // runs before the wait, to close the open connections
	slots := make(chan struct{}, concurrency)
	for {
		conn, err := listener.Accept()
		if err != nil && ctx.Err() == nil && isPassing(err) {
			s.Log.Warn("a caller waits", "error", err)
			_ = memory.Sleep(ctx, acceptAgain)
			continue
		}
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("accept a caller: %w", err)
		}
		slots <- struct{}{}
		connections.Go(func() {
			defer func() { <-slots }()
			s.converse(ctx, conn)
		})
	}
}

const (
	// messageTime is how long a message may take to arrive. A caller that sends nothing would keep other callers waiting.
	messageTime = 10 * time.Second
	// answerTime is how long a caller may take to read its answer, which can have megabytes.
	answerTime = time.Minute
)

// acceptAgain is the pause before the next Accept when no descriptor is free.
const acceptAgain = 200 * time.Millisecond

// isPassing reports whether Accept may succeed again after this error: descriptors or memory were short, or the caller has left.
func isPassing(err error) bool {
	return slices.ContainsFunc([]error{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM,
		syscall.ECONNABORTED,
	}, func(passing error) bool {
		return errors.Is(err, passing)
	})
}

func (s *Server) converse(ctx context.Context, conn net.Conn) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	defer func() { _ = conn.Close() }()
	if socket, isUnix := conn.(*net.UnixConn); isUnix {
		if err := daemonapi.CheckPeer(socket); err != nil {
			s.Log.Warn("a caller is not answered", "error", err)
			return
		}
	}
	reader := bufio.NewReader(conn)
	for {
		_ = conn.SetReadDeadline(time.Now().Add(messageTime)) // if the connection is closed, the read fails, too
		line, err := daemonapi.ReadMessage(reader)
		if err != nil {
			if errors.Is(err, daemonapi.ErrTooLong) {
				s.answer(conn, daemonapi.Response{Error: &daemonapi.Error{Code: daemonapi.CodeParse, Message: err.Error()}})
			} else if !errors.Is(err, io.EOF) && ctx.Err() == nil {
				s.Log.Debug("a caller left in the middle", "error", err)
			}
			return
		}
		var req daemonapi.Request
		if err := json.Unmarshal(line, &req); err != nil {
			s.answer(conn, daemonapi.Response{Error: &daemonapi.Error{
				Code:    daemonapi.CodeParse,
				Message: "not a JSON-RPC request: " + err.Error(),
			}})
			return
		}
		s.underWay.Add(1)
		result := s.handle(ctx, req)
		isNotification := req.ID == 0
		isOpen := isNotification || s.answer(conn, result)
		if s.underWay.Add(-1); !isOpen {
			return
		}
	}
}

// handle returns the answer to a request. Errors and panics of a handler become answers.
func (s *Server) handle(ctx context.Context, req daemonapi.Request) (answer daemonapi.Response) {
	answer = daemonapi.Response{ID: req.ID}
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("a handler panicked", "method", req.Method, "panic", p, "stack", string(debug.Stack()))
			answer = daemonapi.Response{ID: req.ID, Error: &daemonapi.Error{
				Code:    daemonapi.CodeInternal,
				Message: fmt.Sprint("panic: ", p),
			}}
		}
	}()
	at := slices.IndexFunc(s.Handlers, func(h daemonapi.Handler) bool { return h.Method == req.Method })
	if at < 0 {
		answer.Error = &daemonapi.Error{Code: daemonapi.CodeMethod, Message: "no method " + req.Method}
		return answer
	}
	result, err := s.Handlers[at].Answer(ctx, req.Params)
	if err != nil {
		answer.Error = &daemonapi.Error{Code: codeOf(err), Message: err.Error()}
		return answer
	}
	raw, err := json.Marshal(result)
	if err != nil {
		answer.Error = &daemonapi.Error{Code: daemonapi.CodeInternal, Message: "encode the result: " + err.Error()}
		return answer
	}
	answer.Result = raw
	return answer
}

// Ask answers a call from this process as if it had come over a connection.
func (s *Server) Ask(ctx context.Context, call daemonapi.Call) error {
	const id = 1
	message, err := call.Message(id)
	if err != nil {
		return err
	}
	var req daemonapi.Request
	if err := json.Unmarshal(message, &req); err != nil {
		return fmt.Errorf("ask for %s: %w", call.Method(), err)
	}
	answer, err := json.Marshal(s.handle(ctx, req))
	if err != nil {
		return fmt.Errorf("ask for %s: %w", call.Method(), err)
	}
	return call.Take(id, answer)
}

func codeOf(err error) int {
	switch {
	case errors.Is(err, memory.ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return daemonapi.CodeUnavailable
	case errors.Is(err, memory.ErrNotFound):
		return daemonapi.CodeNotFound
	case errors.Is(err, memory.ErrInvalid):
		return daemonapi.CodeParams
	}
	return daemonapi.CodeInternal
}

func (s *Server) answer(conn net.Conn, r daemonapi.Response) bool {
	r.Version = daemonapi.Version
	line, err := json.Marshal(r)
	if err != nil {
		s.Log.Error("encode an answer", "error", err)
		return false
	}
	_ = conn.SetWriteDeadline(time.Now().Add(answerTime)) // if the connection is closed, the write fails, too
	if _, err := conn.Write(append(line, '\n')); err != nil {
		s.Log.Debug("a caller did not wait for its answer", "error", err)
		return false
	}
	return true
}
