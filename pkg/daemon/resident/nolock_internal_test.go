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
	const mounts = "/dev/sda1 / ext4 rw 0 0\nsrv:/home /net/home nfs4 rw 0 0\nsrv:/x /net/home2 cifs rw 0 0\nd /my\\040disk fuse.sshfs rw 0 0\n"
	for file, want := range map[string]string{"/net/home/run/l": "nfs4", "/net/home2/l": "cifs", "/my disk/l": "fuse.sshfs", "/tmp/l": "ext4", "/net/homes/l": "ext4"} {
		if got := fileSystemOf(file, mounts); got != want {
			t.Errorf("%s is on %q, want %q", file, got, want)
		}
	}
}
