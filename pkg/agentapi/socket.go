package agentapi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/private"
)

// ErrStranger says that the process at the other end of a connection is not this
// user's.
var ErrStranger = errors.New("the other end is another user's process")

// longestAddress is the longest path that every Unix takes for a socket.
const longestAddress = 103

// Listen opens the socket for this user alone, in a folder that is this user's
// alone. The caller must hold the agent's lock: a socket file that is there
// belongs to an agent that is gone.
func Listen(socket string) (net.Listener, error) {
	if err := private.Make(filepath.Dir(socket)); err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listen: remove the old socket: %w", err)
	}
	address, release, err := addressOf(socket)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	defer release()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: address, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", socket, err)
	}
	if err := os.Chmod(socket, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("listen on %s: %w", socket, err), listener.Close())
	}
	listener.SetUnlinkOnClose(false) // the address may be another file's by then
	file, err := os.Lstat(socket)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen on %s: %w", socket, err), listener.Close())
	}
	return &ownListener{listener, socket, file}, nil
}

// ownListener removes its socket file when it is closed, but not one that another agent
// has put in its place.
type ownListener struct {
	net.Listener
	socket string
	file   fs.FileInfo
}

func (l *ownListener) Close() error {
	err := l.Listener.Close()
	if now, statErr := os.Lstat(l.socket); err == nil && statErr == nil && os.SameFile(now, l.file) {
		_ = os.Remove(l.socket) // the next agent removes it otherwise
	}
	return err
}

// Connect connects to the socket. It refuses a socket that another user could have put
// there, and another user's process.
func Connect(ctx context.Context, socket string) (net.Conn, error) {
	if err := private.Check(filepath.Dir(socket)); err != nil {
		return nil, err
	}
	address, release, err := addressOf(socket)
	if err != nil {
		return nil, err
	}
	defer release()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", address)
	if err != nil {
		return nil, err
	}
	if err := isUser(conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// isUser checks who is at the other end of a connection.
func isUser(conn net.Conn) error {
	unix, isUnix := conn.(*net.UnixConn)
	if !isUnix {
		return nil
	}
	raw, err := unix.SyscallConn()
	if err != nil {
		return err
	}
	var user int
	var peerErr error
	if err := raw.Control(func(fd uintptr) { user, peerErr = peerOf(fd) }); err != nil {
		return err
	}
	if peerErr != nil {
		return fmt.Errorf("ask who is at the other end: %w", peerErr)
	}
	if user != os.Geteuid() {
		return fmt.Errorf("%w: user %d, and this is user %d", ErrStranger, user, os.Geteuid())
	}
	return nil
}
