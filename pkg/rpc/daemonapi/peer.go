package daemonapi

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// ErrStranger means that the process at the other end of a connection belongs to another user.
var ErrStranger = errors.New("another user's process answers there")

// longestAddress is the longest socket path, in bytes, that every Unix accepts.
const longestAddress = 103

// Address returns the path by which a socket can be opened. A path that is too long is replaced, on Linux only, by
// one through the descriptor of its folder. The caller must call release.
func Address(socket string) (address string, release func(), err error) {
	if len(socket) <= longestAddress {
		return socket, func() {}, nil
	}
	if runtime.GOOS != "linux" {
		return "", nil, fmt.Errorf("%s has %d bytes, but the path of a socket has at most %d: set MEMORY_HOME to a shorter path",
			socket, len(socket), longestAddress)
	}
	dir, err := os.Open(filepath.Dir(socket))
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(socket)), func() { _ = dir.Close() }, nil
}

// CheckPeer returns ErrStranger if the process at the other end of a connection belongs to another user. It also
// fails if the owner cannot be determined.
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
		return fmt.Errorf("%w (user %d, and this is user %d): end that process, or set MEMORY_HOME to a folder of yours", ErrStranger, user, os.Geteuid())
	}
	return nil
}
