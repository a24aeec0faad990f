// Package daemonapi defines how programs talk to the daemon: JSON-RPC 2.0, one message a line, over a
// unix socket that only this user can open. It owns the methods with their parameters and results, the
// messages, and who may be at the other end of the socket. Packages daemonserver and daemonclient are
// the two ends. It links no network package, because hook programs link it.
package daemonapi

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Method is one method of the daemon, with the types of its parameters and its result. Only this
// package makes methods, so that callers and the daemon cannot differ in a name or a type. A field
// Project of the parameters may be the key of a merged project: see
// ResolveProject.
type Method[P, R any] struct{ name string }

// None is the type of the parameters or result of a method that has none.
type None struct{}

// Name returns the method's name, as messages have it.
func (m Method[P, R]) Name() string { return m.name }

// Call returns a request with its parameters. The answer is decoded into result, which may be
// nil.
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

// Ask calls the method by send, which sends a call and takes its answer, such as a client's Call.
func (m Method[P, R]) Ask(ctx context.Context, send func(context.Context, Call) error, params P) (R, error) {
	var result R
	err := send(ctx, m.Call(params, &result))
	return result, err
}

// Handle returns a handler that answers the method with a function.
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

// ResolveProject replaces the field Project of params, a pointer to the parameters of a method, by
// what resolve returns for it: for a merged project, the key of the project that it is part of.
// Parameters without such a field stay.
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

// Around does something before and after a method is answered. params points at the decoded
// parameters, which it may change.
type Around func(ctx context.Context, params any, answer func() (any, error)) (any, error)

// Within returns the handler with each of its answers made inside around.
func (h Handler) Within(around Around) Handler {
	h.around = around
	return h
}

// Answers reports whether the handler answers the method of this name.
func (h Handler) Answers(method string) bool { return h.Method == method }

// Answer handles one request's parameters.
func (h Handler) Answer(ctx context.Context, params json.RawMessage) (any, error) {
	return h.Reply(ctx, params, h.around)
}

// takeResponse returns a function that decodes a response, and its result into the pointer result unless that is nil.
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

// Call is a request to the daemon, or a notification.
type Call struct {
	method string
	params func() ([]byte, error) // as JSON; nil if all are zero, and then not sent
	take   func(id int64, message []byte) error
}

// Method returns the name of the method.
func (c Call) Method() string { return c.method }

// Message returns the request, whose answer will have the id, which is above 0. With the id 0 it returns
// a notification, which gets no answer.
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

// Take reads the answer with the id into the call's result. It returns an error of the daemon's as an
// *Error.
func (c Call) Take(id int64, message []byte) error { return c.take(id, message) }

func otherAnswer(got, want int64) error { return fmt.Errorf("answer %d to question %d", got, want) }
