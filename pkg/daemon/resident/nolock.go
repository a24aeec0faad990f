package resident

import (
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
)

// ErrNoLocks means that the home's file system has no locks, so two daemons could run at once.
var ErrNoLocks = errors.New("the file system does not support file locks")

// lockError returns the error for a file that cannot be locked: ErrNoLocks if its file system has no locks.
func lockError(file string, err error) error {
	for _, none := range []error{syscall.ENOLCK, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EINVAL} {
		if errors.Is(err, none) {
			return fmt.Errorf("%w (%s, %w): two daemons could damage the store. Put the home on a disk of this machine, by MEMORY_HOME; events are kept until then in the spool",
				ErrNoLocks, filepath.Dir(file), err)
		}
	}
	return fmt.Errorf("lock %s: %w", file, err)
}
