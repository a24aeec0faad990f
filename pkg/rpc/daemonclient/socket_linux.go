package daemonclient

import "syscall"

// newSocket returns a non-blocking unix socket that child processes do not inherit.
func newSocket() (fd int, err error) {
	return syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
}
