//go:build unix

package places

import (
	"os"
	"syscall"
)

// folderOf returns a number that identifies a folder in its file system even after a rename, or 0.
func folderOf(path string) uint64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Ino) //nolint:unconvert // not uint64 on every system
	}
	return 0
}
