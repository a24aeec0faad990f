package agentapi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// ErrNoAgent says that nobody listens on the socket.
var ErrNoAgent = errors.New("no agent is running")

// Client is one connection to the agent, for one caller at a time.
type Client struct {
	conn   net.Conn
	reader *bufio.Reader
	lastID int64
}

func newClient(conn net.Conn) *Client {
	return &Client{conn: conn, reader: bufio.NewReader(conn)}
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// Notify sends a message that has no answer; nil parameters are left out.
func (c *Client) Notify(ctx context.Context, method string, params any) error {
	// Hooks that only wake the agent do not pay for an encoder of all types.
	line := []byte(`{"jsonrpc":"` + jsonrpcVersion + `","method":"` + method + `"`)
	if params != nil {
		raw, err := json.Marshal(params)
		if err != nil {
			return fmt.Errorf("notify %s: encode: %w", method, err)
		}
		line = append(append(line, `,"params":`...), raw...)
	}
	return c.send(ctx, method, append(line, '}'))
}

// Call asks and waits for the answer, at most until ctx ends. An error of the
// agent's is an *Error; any other leaves the connection unusable.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("call %s: encode: %w", method, err)
	}
	c.lastID++
	line, err := json.Marshal(request{jsonrpcVersion, c.lastID, method, raw})
	if err != nil {
		return fmt.Errorf("call %s: encode: %w", method, err)
	}
	if err := c.send(ctx, method, line); err != nil {
		return err
	}
	line, err = c.receive(ctx)
	if err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	var answer response
	if err := json.Unmarshal(line, &answer); err != nil {
		return fmt.Errorf("call %s: decode the answer: %w", method, err)
	}
	if answer.ID != c.lastID {
		return fmt.Errorf("call %s: answer %d to question %d", method, answer.ID, c.lastID)
	}
	if answer.Error != nil {
		return answer.Error
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		return fmt.Errorf("call %s: decode the result: %w", method, err)
	}
	return nil
}

func (c *Client) send(ctx context.Context, method string, line []byte) error {
	stop := c.bindDeadline(ctx)
	defer stop()
	if _, err := c.conn.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("call %s: send: %w: %w", method, memory.ErrUnavailable, err)
	}
	return nil
}

func (c *Client) receive(ctx context.Context) ([]byte, error) {
	stop := c.bindDeadline(ctx)
	defer stop()
	line, err := readLine(c.reader)
	if err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() == nil {
			err = context.DeadlineExceeded // the connection's clock was a moment faster than the context's
		}
		return nil, fmt.Errorf("receive: %w: %w", memory.ErrUnavailable, errors.Join(ctx.Err(), err))
	}
	return line, nil
}

// bindDeadline makes the connection give up when ctx does.
func (c *Client) bindDeadline(ctx context.Context) (stop func() bool) {
	deadline, _ := ctx.Deadline() // the zero time means none
	_ = c.conn.SetDeadline(deadline)
	return context.AfterFunc(ctx, func() { _ = c.conn.SetDeadline(time.Unix(1, 0)) })
}

var errTooLong = fmt.Errorf("message of more than %d bytes", maxMessageBytes)

// readLine returns the next line without its end.
func readLine(r *bufio.Reader) ([]byte, error) {
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
