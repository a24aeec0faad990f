//go:build unix

package doctor

import (
	"syscall"
)

// FreeBytes returns the bytes that this user may still use on the disk of a path.
func FreeBytes(path string) (uint64, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(path, &stat); err != nil {
		return 0, err
	}
	return uint64(stat.Bavail) * uint64(stat.Bsize), nil // the types of the fields differ between systems
}
