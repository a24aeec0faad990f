package enginetest

import (
	"fmt"
	"os/exec"
	"testing"
)

// SmallDisk mounts an empty disk of a number of megabytes until the test ends. It skips the test if the user may not
// mount, or the system has no tmpfs.
func SmallDisk(t testing.TB, megabytes int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	options := fmt.Sprintf("size=%dm,mode=0700", megabytes)
	if output, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", options, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("the test needs a mount, which this user may not make: %v: %s", err, output)
	}
	t.Cleanup(func() {
		if output, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil { // an engine may still be ending
			t.Errorf("umount: %v: %s", err, output)
		}
	})
	return dir
}
