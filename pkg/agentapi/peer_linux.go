package agentapi

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

func peerOf(fd uintptr) (int, error) {
	peer, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(peer.Uid), nil
}

// Address is the path by which the operating system can open a socket: a path that is too
// long for it goes through its folder's descriptor, which release closes.
func Address(socket string) (address string, release func(), err error) {
	if len(socket) <= longestAddress {
		return socket, func() {}, nil
	}
	dir, err := os.Open(filepath.Dir(socket))
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(socket)), func() { _ = dir.Close() }, nil
}
