package daemonclient

import "syscall"

// newSocket makes a unix socket that does not block and that no program inherits.
func newSocket() (fd int, err error) {
	return syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
}
