// Package daemonapi defines the protocol between programs and the daemon: JSON-RPC 2.0, one message per line, over a
// unix socket that only this user can open. It has the methods with their parameters and results, the messages, and
// the check of who is at the other end of the socket. Packages daemonserver and daemonclient are the two ends. Hook
// programs link this package, so it links no network package.
package daemonapi

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Method is a method of the daemon with the types of its parameters and its result. Programs use only the methods of
// this package, so callers and the daemon agree on names and types. If the parameters have a field Project, it may
// hold the key of a merged project; see ResolveProject.
type Method[P, R any] struct {
	Name string // as messages have it
}

// None is the type of missing parameters or of a missing result.
type None struct{}

// Call returns a request with these parameters. Take decodes the answer into result, which may be nil.
func (m Method[P, R]) Call(params P, result *R) Call {
	call := Call{method: m.Name}
	if !reflect.ValueOf(params).IsZero() {
		call.params = params
	}
	if result != nil {
		call.result = result
	}
	return call
}

// Ask sends a call of the method with the function send, such as Client.Call, and returns the result.
func (m Method[P, R]) Ask(ctx context.Context, send func(context.Context, Call) error, params P) (R, error) {
	var result R
	err := send(ctx, m.Call(params, &result))
	return result, err
}

// Handle returns a handler that calls answer for each request. The handler fails with memory.ErrInvalid if the
// parameters cannot be decoded.
func (m Method[P, R]) Handle(answer func(context.Context, P) (R, error)) Handler {
	return Handler{Method: m.Name, Answer: func(ctx context.Context, raw json.RawMessage) (any, error) {
		var params P
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &params); err != nil {
				return nil, fmt.Errorf("parameters: %w: %w", memory.ErrInvalid, err)
			}
		}
		return answer(ctx, params)
	}}
}

// ResolveProject replaces the field Project of params by the key that resolve returns. For a merged project this is the
// key of the project into which it was merged. params points to the parameters of a method; without such a field it stays
// unchanged.
func ResolveProject(params any, resolve func(key string) string) {
	value := reflect.ValueOf(params).Elem()
	if value.Kind() != reflect.Struct {
		return
	}
	if key := value.FieldByName("Project"); key.Kind() == reflect.String {
		key.SetString(resolve(key.String()))
	}
}

// Handler answers the requests of one method.
type Handler struct {
	Method string
	// Answer answers a request. params is nil if the caller sent none.
	Answer func(ctx context.Context, params json.RawMessage) (any, error)
}

// Call is a request or notification that can be sent to the daemon.
type Call struct {
	method string
	params any // nil if all parameters are zero, which are not sent
	result any // pointer for the result; nil if it is not wanted
}

func (c Call) Method() string { return c.method }

// Message returns the request with the given id, which must be positive, or for the id 0 a notification.
func (c Call) Message(id int64) ([]byte, error) {
	line := []byte(`{"jsonrpc":"` + Version + `","method":"` + c.method + `"`)
	if id != 0 {
		line = strconv.AppendInt(append(line, `,"id":`...), id, 10)
	}
	if c.params != nil {
		raw, err := json.Marshal(c.params)
		if err != nil {
			return nil, fmt.Errorf("encode the parameters: %w", err)
		}
		line = append(append(line, `,"params":`...), raw...)
	}
	return append(line, '}'), nil
}

// Take decodes the answer to the request with the given id into the call's result. An error of the daemon is an *Error.
func (c Call) Take(id int64, message []byte) error {
	var answer Response
	if err := json.Unmarshal(message, &answer); err != nil {
		return fmt.Errorf("decode the answer: %w", err)
	}
	switch {
	case answer.ID != id:
		return fmt.Errorf("the daemon answered another request (%d in place of %d): try again", answer.ID, id)
	case answer.Error != nil:
		return answer.Error
	case c.result == nil:
		return nil
	}
	if err := json.Unmarshal(answer.Result, c.result); err != nil {
		return fmt.Errorf("decode the result: %w", err)
	}
	return nil
}
