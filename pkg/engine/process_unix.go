//go:build unix

package engine

import (
	"os"
	"syscall"
)

func askToEnd(target *os.Process) error { return target.Signal(syscall.SIGTERM) }

// killGroup ends the processes that a child left in its process group.
func killGroup(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL) // there is nobody left, as a rule
}

// tryLock takes the lock or returns errLocked.
func tryLock(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close() // nothing was written
		if err == syscall.EWOULDBLOCK {
			return nil, errLocked
		}
		return nil, err
	}
	return func() { file.Close() }, nil // closing releases the lock
}
