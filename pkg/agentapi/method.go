package agentapi

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Method is one method of the agent, with the types of its parameters and its
// result. Only this package makes them, so that callers and the agent cannot differ
// in a name or a type.
type Method[P, R any] struct{ name string }

// None is the type of the parameters or result of a method that has none.
type None struct{}

// Name is the method's name in a message.
func (m Method[P, R]) Name() string { return m.name }

// Call is a request with its parameters. The result is decoded into result, which may
// be nil.
func (m Method[P, R]) Call(params P, result *R) Call {
	call := Call{method: m.name, take: takeResponse(nil)}
	if !reflect.ValueOf(params).IsZero() {
		call.params = func() ([]byte, error) { return json.Marshal(params) }
	}
	if result != nil {
		call.take = takeResponse(result)
	}
	return call
}

// Handle makes a handler that answers the method with a function.
func (m Method[P, R]) Handle(answer func(context.Context, P) (R, error)) Handler {
	return RawHandler(m.name, func(ctx context.Context, raw json.RawMessage) (any, error) {
		var params P
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &params); err != nil {
				return nil, fmt.Errorf("parameters: %w: %w", memory.ErrInvalid, err)
			}
		}
		return answer(ctx, params)
	})
}

// Handler answers one method.
type Handler struct {
	method string
	answer func(ctx context.Context, params json.RawMessage) (any, error)
}

// Answers tells whether the handler is the method's.
func (h Handler) Answers(method string) bool { return h.method == method }

// Answer handles one request's parameters.
func (h Handler) Answer(ctx context.Context, params json.RawMessage) (any, error) {
	return h.answer(ctx, params)
}

// RawHandler answers any method, with the parameters as the caller sent them; nil if
// there are none. It is for fake agents in tests.
func RawHandler(method string, answer func(ctx context.Context, params json.RawMessage) (any, error)) Handler {
	return Handler{method, answer}
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
