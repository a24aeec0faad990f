package resident

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrNoLocks means that the home's file system has no locks, so two daemons could run at once.
var ErrNoLocks = errors.New("the file system does not support file locks")

// lockError returns the error for a file that cannot be locked: ErrNoLocks, with the name of the file system, if that
// has no locks.
func lockError(file string, err error) error {
	for _, none := range []error{syscall.ENOLCK, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EINVAL} {
		if errors.Is(err, none) {
			mounts, _ := os.ReadFile("/proc/self/mounts") // empty on other systems
			return fmt.Errorf("%w (%s, %w): two daemons could damage the store. Put the home on a disk of this machine, by MEMORY_HOME; events are kept until then in %s",
				ErrNoLocks, strings.TrimSpace(fileSystemOf(file, string(mounts))+" at "+filepath.Dir(file)), err, "the spool")
		}
	}
	return fmt.Errorf("lock %s: %w", file, err)
}

// fileSystemOf returns the type of a file's file system according to a table of mounts, or "".
func fileSystemOf(file, mounts string) (kind string) {
	longest := 0
	for line := range strings.Lines(mounts) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		at := strings.ReplaceAll(fields[1], `\040`, " ")
		if isBelow := at == "/" || file == at || strings.HasPrefix(file, at+"/"); isBelow && len(at) >= longest {
			longest, kind = len(at), fields[2]
		}
	}
	return kind
}
