// Package daemonapi is how programs talk to the daemon: JSON-RPC 2.0, one
// message a line, over a unix socket that only this user can open. It owns the methods
// with their parameters and results, the messages, and who may be at the other end of
// the socket; packages daemonserver and daemonclient are the two ends. It links no network
// package, because hook programs take it in.
package daemonapi

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Method is one method of the daemon, with the types of its parameters and its
// result. Only this package makes them, so that callers and the daemon cannot differ
// in a name or a type. A field Project of the parameters may be the key of a merged project:
// see ResolveProject.
type Method[P, R any] struct{ name string }

// None is the type of the parameters or result of a method that has none.
type None struct{}

// Name returns the method's name in a message.
func (m Method[P, R]) Name() string { return m.name }

// Call returns a request with its parameters. The result is decoded into result, which may
// be nil.
func (m Method[P, R]) Call(params P, result *R) Call {
	call := Call{method: m.Name(), take: takeResponse(nil)}
	if !reflect.ValueOf(params).IsZero() {
		call.params = func() ([]byte, error) { return json.Marshal(params) }
	}
	if result != nil {
		call.take = takeResponse(result)
	}
	return call
}

// Ask asks by a function that sends a call and takes its answer, such as a client's.
func (m Method[P, R]) Ask(ctx context.Context, send func(context.Context, Call) error, params P) (R, error) {
	var result R
	err := send(ctx, m.Call(params, &result))
	return result, err
}

// Handle makes a handler that answers the method with a function.
func (m Method[P, R]) Handle(answer func(context.Context, P) (R, error)) Handler {
	return Handler{Method: m.Name(), Reply: func(ctx context.Context, raw json.RawMessage, around Around) (any, error) {
		var params P
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &params); err != nil {
				return nil, fmt.Errorf("parameters: %w: %w", memory.ErrInvalid, err)
			}
		}
		if around == nil {
			return answer(ctx, params)
		}
		return around(ctx, &params, func() (any, error) { return answer(ctx, params) })
	}}
}

// ResolveProject replaces the key in the field Project of params, a pointer to the
// parameters of a method, by resolve's result: a merged project goes by the one that it is
// part of. Parameters without such a field stay.
func ResolveProject(params any, resolve func(key string) string) {
	value := reflect.ValueOf(params).Elem()
	if value.Kind() != reflect.Struct {
		return
	}
	if key := value.FieldByName("Project"); key.Kind() == reflect.String {
		key.SetString(resolve(key.String()))
	}
}

// Handler answers one method.
type Handler struct {
	Method string
	// Reply answers one request, with the parameters as the caller sent them; nil if there are none.
	Reply  func(ctx context.Context, params json.RawMessage, around Around) (any, error)
	around Around // nil: nothing
}

// Around does something before and after a method is answered; params points at the
// decoded parameters, which it may change.
type Around func(ctx context.Context, params any, answer func() (any, error)) (any, error)

// Within returns the handler with something around its answers.
func (h Handler) Within(around Around) Handler {
	h.around = around
	return h
}

// Answers reports whether the handler is the method's.
func (h Handler) Answers(method string) bool { return h.Method == method }

// Answer handles one request's parameters.
func (h Handler) Answer(ctx context.Context, params json.RawMessage) (any, error) {
	return h.Reply(ctx, params, h.around)
}

// takeResponse decodes a response, and its result into the pointer result, unless that is nil.
func takeResponse(result any) func(id int64, message []byte) error {
	return func(id int64, message []byte) error {
		var answer Response
		if err := json.Unmarshal(message, &answer); err != nil {
			return fmt.Errorf("decode the answer: %w", err)
		}
		if answer.ID != id {
			return otherAnswer(answer.ID, id)
		}
		if answer.Error != nil {
			return answer.Error
		}
		if result == nil {
			return nil
		}
		if err := json.Unmarshal(answer.Result, result); err != nil {
			return fmt.Errorf("decode the result: %w", err)
		}
		return nil
	}
}

// Call is a question to the daemon, or a notification.
type Call struct {
	method string
	params func() ([]byte, error) // as JSON; nil if they are zero, and not sent
	take   func(id int64, message []byte) error
}

// Method returns the name of the method.
func (c Call) Method() string { return c.method }

// Message returns the request for the answer with the id, which is above 0; with 0 it is a
// notification, which asks for none.
func (c Call) Message(id int64) ([]byte, error) {
	line := []byte(`{"jsonrpc":"` + Version + `","method":"` + c.method + `"`)
	if id != 0 {
		line = strconv.AppendInt(append(line, `,"id":`...), id, 10)
	}
	if c.params != nil {
		raw, err := c.params()
		if err != nil {
			return nil, fmt.Errorf("encode the parameters: %w", err)
		}
		line = append(append(line, `,"params":`...), raw...)
	}
	return append(line, '}'), nil
}

// Take reads the answer with the id into the call's result. An error of the daemon's
// is an *Error.
func (c Call) Take(id int64, message []byte) error { return c.take(id, message) }

func otherAnswer(got, want int64) error { return fmt.Errorf("answer %d to question %d", got, want) }
