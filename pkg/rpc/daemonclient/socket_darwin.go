package daemonclient

import "syscall"

// newSocket returns a non-blocking unix socket that child processes do not inherit.
func newSocket() (fd int, err error) {
	syscall.ForkLock.RLock() // no process may be forked before the descriptor is marked
	fd, err = syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return -1, err
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		_ = syscall.Close(fd)
		return -1, err
	}
	return fd, nil
}
