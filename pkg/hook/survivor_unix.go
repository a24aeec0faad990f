//go:build unix

package hook

import (
	"os"
	"syscall"
)

// survivor returns the same stream under another descriptor. Go ends a process by SIGPIPE if a write to descriptor 1 or
// 2 fails because the reader is gone; on another descriptor the write returns an error, which is logged. Catching the
// signal would cost each hook half a millisecond.
func survivor(stream *os.File) *os.File {
	fd, err := syscall.Dup(int(stream.Fd()))
	if err != nil {
		return stream
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), stream.Name())
}
