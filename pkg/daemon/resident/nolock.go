package resident

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrNoLocks means that the home's file system does not support locks, so a daemon cannot be sure to be the only one.
var ErrNoLocks = errors.New("the file system does not support file locks")

// lockError returns an error that says why a file cannot be locked: ErrNoLocks, with the file
// system, if that supports no locks.
func lockError(file string, err error) error {
	for _, none := range []error{syscall.ENOLCK, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EINVAL} {
		if errors.Is(err, none) {
			mounts, _ := os.ReadFile("/proc/self/mounts") // on other systems the name is left out
			return fmt.Errorf("%w (%s, %w): two daemons could damage the store. Put the home on a disk of this machine, by MEMORY_HOME; events are kept until then in %s",
				ErrNoLocks, strings.TrimSpace(fileSystemOf(file, string(mounts))+" at "+filepath.Dir(file)), err, "the spool")
		}
	}
	return fmt.Errorf("lock %s: %w", file, err)
}

// fileSystemOf returns the type of the file system that a file lies on, according to a table of mounts, or "".
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
