//go:build unix

package hook

import (
	"os"
	"syscall"
)

// survivor is the same stream under another descriptor: Go ends a process by
// SIGPIPE when nobody reads its standard output, and only there. A client that has
// gone is an error to log. Catching the signal would cost each hook half a
// millisecond.
func survivor(stream *os.File) *os.File {
	fd, err := syscall.Dup(int(stream.Fd()))
	if err != nil {
		return stream
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), stream.Name())
}
