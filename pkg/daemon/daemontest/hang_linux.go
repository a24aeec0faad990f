package daemontest

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

// Hang mounts on dir, until the test ends, a file system that never answers. Without root and FUSE it skips the
// test.
func Hang(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	device, err := syscall.Open("/dev/fuse", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err == nil {
		options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", device)
		err = syscall.Mount("hung", dir, "fuse", syscall.MS_NOSUID|syscall.MS_NODEV, options)
	}
	if err != nil {
		t.Skipf("a file system that hangs needs root and FUSE: %v", err)
	}
	t.Cleanup(func() { // nobody waits by then
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
		_ = syscall.Close(device) // ends the calls that hang
	})
}
