package daemonclient

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// memoryd is the name of the daemon's program.
const memoryd = "memoryd"

// ErrNoDaemon means that no daemon listens on the socket.
var ErrNoDaemon = errors.New("no daemon is running")

// Client is one connection to the daemon, for one caller at a time.
type Client struct {
	conn   conn
	reader *bufio.Reader
	lastID int64
}

// conn is a socket with deadlines.
type conn interface {
	io.ReadWriteCloser
	SetDeadline(time.Time) error
}

// Dial connects to the daemon, or returns ErrNoDaemon. It refuses a socket that another user could have
// put there, and another user's process.
func Dial(ctx context.Context, socket string) (*Client, error) {
	conn, err := connect(ctx, socket)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("connect to %s: %w: %w", socket, ErrNoDaemon, err)
	}
	if err != nil { // the daemon runs but is too busy, or is not ours
		return nil, fmt.Errorf("connect to %s: %w: %w", socket, memory.ErrUnavailable, err)
	}
	return &Client{conn: conn, reader: bufio.NewReader(conn)}, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// Notify sends a message that has no answer.
func (c *Client) Notify(ctx context.Context, call daemonapi.Call) error {
	line, err := call.Message(0)
	if err != nil {
		return fmt.Errorf("notify %s: %w", call.Method(), err)
	}
	return c.send(ctx, call.Method(), line)
}

// Call sends a request and waits for the answer, at most until ctx ends. An error of the daemon's is an
// *daemonapi.Error; any other leaves the connection unusable.
func (c *Client) Call(ctx context.Context, call daemonapi.Call) error {
	c.lastID++
	line, err := call.Message(c.lastID)
	if err != nil {
		return fmt.Errorf("call %s: %w", call.Method(), err)
	}
	if err := c.send(ctx, call.Method(), line); err != nil {
		return err
	}
	line, err = c.receive(ctx)
	if err != nil {
		return fmt.Errorf("call %s: %w", call.Method(), err)
	}
	err = call.Take(c.lastID, line)
	var refused *daemonapi.Error
	if err != nil && !errors.As(err, &refused) {
		err = fmt.Errorf("call %s: %w", call.Method(), err)
	}
	return err
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
	line, err := daemonapi.ReadMessage(c.reader)
	if err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() == nil {
			err = context.DeadlineExceeded // the connection's clock was a moment faster than the context's
		}
		return nil, fmt.Errorf("receive: %w: %w", memory.ErrUnavailable, errors.Join(ctx.Err(), err))
	}
	return line, nil
}

// bindDeadline makes the connection give up when ctx ends, until stop is called.
func (c *Client) bindDeadline(ctx context.Context) (stop func() bool) {
	deadline, _ := ctx.Deadline() // the zero time means none
	_ = c.conn.SetDeadline(deadline)
	return context.AfterFunc(ctx, func() { _ = c.conn.SetDeadline(time.Unix(1, 0)) })
}
