package agentapi

import (
	"bufio"
	"bytes"
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

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Server answers callers, each connection's messages in their order.
type Server struct {
	Handlers []Handler // of a method the first counts
	Log      *slog.Logger

	underWay atomic.Int64
}

// UnderWay counts the requests whose answers are not written yet.
func (s *Server) UnderWay() int { return int(s.underWay.Load()) }

// Serve answers until ctx ends; then it closes the listener and every
// connection, and returns once no handler runs any more.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()

	var connections sync.WaitGroup
	defer connections.Wait()
	defer cancel() // before the wait: closes what is still open
	slots := make(chan struct{}, serverConcurrency)
	for {
		conn, err := listener.Accept()
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

func (s *Server) converse(ctx context.Context, conn net.Conn) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	defer func() { _ = conn.Close() }()
	if err := isUser(conn); err != nil {
		s.Log.Warn("a caller is not answered", "error", err)
		return
	}
	reader := bufio.NewReader(conn)
	for {
		line, err := ReadMessage(reader)
		if err != nil {
			if errors.Is(err, errTooLong) {
				s.answer(conn, response{Error: &Error{CodeParse, err.Error()}})
			} else if !errors.Is(err, io.EOF) && ctx.Err() == nil {
				s.Log.Debug("a caller left in the middle", "error", err)
			}
			return
		}
		if !s.respond(ctx, conn, line) {
			return
		}
	}
}

// respond handles one message and tells whether the connection stays open.
func (s *Server) respond(ctx context.Context, conn net.Conn, line []byte) bool {
	s.underWay.Add(1)
	defer s.underWay.Add(-1)
	var req request
	if err := json.Unmarshal(line, &req); err != nil {
		s.answer(conn, response{Error: &Error{CodeParse, "not a JSON-RPC request: " + err.Error()}})
		return false
	}
	result := s.handle(ctx, req)
	isNotification := req.ID == 0
	return isNotification || s.answer(conn, result)
}

// handle never fails: errors and panics of a handler become answers.
func (s *Server) handle(ctx context.Context, req request) (answer response) {
	answer = response{ID: req.ID}
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("a handler panicked", "method", req.Method, "panic", p, "stack", string(debug.Stack()))
			answer = response{ID: req.ID, Error: &Error{CodeInternal, fmt.Sprint("panic: ", p)}}
		}
	}()
	at := slices.IndexFunc(s.Handlers, func(h Handler) bool { return h.method == req.Method })
	if at < 0 {
		answer.Error = &Error{CodeMethod, "no method " + req.Method}
		return answer
	}
	result, err := s.Handlers[at].answer(ctx, req.Params)
	if err != nil {
		answer.Error = &Error{codeOf(err), err.Error()}
		return answer
	}
	raw, err := json.Marshal(result)
	if err != nil {
		answer.Error = &Error{CodeInternal, "encode the result: " + err.Error()}
		return answer
	}
	answer.Result = raw
	return answer
}

// Ask answers a call of this process, as if it had come over a connection.
func (s *Server) Ask(ctx context.Context, call Call) error {
	const id = 1
	message, err := call.Request(id)
	if err != nil {
		return err
	}
	var req request
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
		return CodeUnavailable
	case errors.Is(err, memory.ErrNotFound):
		return CodeNotFound
	case errors.Is(err, memory.ErrInvalid):
		return CodeParams
	}
	return CodeInternal
}

func (s *Server) answer(conn net.Conn, r response) bool {
	r.Version = jsonrpcVersion
	line, err := json.Marshal(r)
	if err != nil {
		s.Log.Error("encode an answer", "error", err)
		return false
	}
	if _, err := conn.Write(append(line, '\n')); err != nil {
		s.Log.Debug("a caller did not wait for its answer", "error", err)
		return false
	}
	return true
}

var errTooLong = fmt.Errorf("message of more than %d bytes", maxMessageBytes)

// ReadMessage returns the next line without its end.
func ReadMessage(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxMessageBytes {
			return nil, errTooLong
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return bytes.TrimSuffix(line, []byte("\n")), nil
	}
}
