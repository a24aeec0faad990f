package agentapi

import (
	"fmt"
	"strconv"
)

// Call is a question to the agent, or a notification.
type Call struct {
	method string
	params func() ([]byte, error) // as JSON; nil if they are zero, and not sent
	take   func(id int64, message []byte) error
}

// Method is the name of the method.
func (c Call) Method() string { return c.method }

// Notification is the message that asks for no answer.
func (c Call) Notification() ([]byte, error) { return c.message(0) }

// Request is the message that asks for the answer with the id, which is above 0.
func (c Call) Request(id int64) ([]byte, error) { return c.message(id) }

func (c Call) message(id int64) ([]byte, error) {
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

// Take reads the answer with the id into the call's result. An error of the agent's
// is an *Error.
func (c Call) Take(id int64, message []byte) error { return c.take(id, message) }

func otherAnswer(got, want int64) error { return fmt.Errorf("answer %d to question %d", got, want) }
