package resident

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestAHomeWithoutLocksIsNamed: each way in which a file system says that it has no locks is refused with what to do; other errors
// stay what they are.
func TestAHomeWithoutLocksIsNamed(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.ENOLCK, syscall.ENOTSUP, syscall.ENOSYS, syscall.EINVAL} {
		err := lockError("/net/home/run/memoryd.lock", &fs.PathError{Op: "flock", Path: "x", Err: errno})
		if !errors.Is(err, ErrNoLocks) || !strings.Contains(err.Error(), "MEMORY_HOME") || !strings.Contains(err.Error(), "/net/home/run") {
			t.Errorf("%v: %v", errno, err)
		}
	}
	for _, other := range []error{os.ErrPermission, syscall.EROFS, syscall.ENOSPC} {
		if err := lockError("/x", other); errors.Is(err, ErrNoLocks) || !errors.Is(err, other) {
			t.Errorf("%v: %v", other, err)
		}
	}
}
