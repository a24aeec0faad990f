package agentapi

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrStranger says that the process at the other end of a connection is not this
// user's.
var ErrStranger = errors.New("the other end is another user's process")

// longestAddress is the longest path that every Unix takes for a socket.
const longestAddress = 103

// CheckPeer checks who is at the other end of a connection: another user's process is
// ErrStranger.
func CheckPeer(conn syscall.Conn) error {
	raw, err := conn.SyscallConn()
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
