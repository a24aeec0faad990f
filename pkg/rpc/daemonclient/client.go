package daemonclient

import (
	"bufio"
	"cmp"
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

// Client is one connection to the daemon. Only one goroutine may use it at a time.
type Client struct {
	conn   conn
	reader *bufio.Reader
	lastID int64
}

// conn is a connection with deadlines.
type conn interface {
	io.ReadWriteCloser
	SetDeadline(time.Time) error
}

// Dial connects to the daemon. It returns ErrNoDaemon if none listens. It returns memory.ErrUnavailable if the daemon
// is too busy, if another user could have created the socket, or if another user's process answers there.
func Dial(ctx context.Context, socket string) (*Client, error) {
	conn, err := connect(ctx, socket)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: connect to %s: %w", ErrNoDaemon, socket, err)
	}
	if err != nil { // the daemon is too busy, or is not ours
		return nil, memory.Mark(fmt.Errorf("the daemon cannot be reached at %s: %w", socket, err), memory.ErrUnavailable)
	}
	return &Client{conn: conn, reader: bufio.NewReader(conn)}, nil
}

func (c *Client) Close() error { return c.conn.Close() }

// Notify sends a notification, which has no answer.
func (c *Client) Notify(ctx context.Context, call daemonapi.Call) error {
	line, err := call.Message(0)
	if err == nil {
		err = c.send(ctx, line)
	}
	if err != nil {
		return fmt.Errorf("notify %s: %w", call.Method(), err)
	}
	return nil
}

// Call sends a request and waits for the answer until ctx ends. An error that the daemon returns is a
// *daemonapi.Error; after any other error the connection cannot be used any more.
func (c *Client) Call(ctx context.Context, call daemonapi.Call) error {
	c.lastID++
	line, err := call.Message(c.lastID)
	if err == nil {
		err = c.send(ctx, line)
	}
	if err == nil {
		line, err = c.receive(ctx)
	}
	if err == nil {
		err = call.Take(c.lastID, line)
	}
	if _, isAnswer := errors.AsType[*daemonapi.Error](err); err != nil && !isAnswer {
		err = fmt.Errorf("ask the daemon for %s: %w", call.Method(), err)
	}
	return err
}

func (c *Client) send(ctx context.Context, line []byte) error {
	stop := c.bindDeadline(ctx)
	defer stop()
	if _, err := c.conn.Write(append(line, '\n')); err != nil {
		return memory.Mark(fmt.Errorf("the message was not sent: %w", err), memory.ErrUnavailable)
	}
	return nil
}

func (c *Client) receive(ctx context.Context) ([]byte, error) {
	stop := c.bindDeadline(ctx)
	defer stop()
	line, err := daemonapi.ReadMessage(c.reader)
	if err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() == nil {
			err = context.DeadlineExceeded // the connection's deadline came a moment before the context's
		}
		return nil, memory.Mark(fmt.Errorf("it did not answer: %w", cmp.Or(ctx.Err(), err)), memory.ErrUnavailable)
	}
	return line, nil
}

// bindDeadline makes reads and writes fail when ctx ends. The caller must call stop.
func (c *Client) bindDeadline(ctx context.Context) (stop func() bool) {
	deadline, _ := ctx.Deadline() // zero without a deadline
	_ = c.conn.SetDeadline(deadline)
	return context.AfterFunc(ctx, func() { _ = c.conn.SetDeadline(time.Unix(1, 0)) })
}
