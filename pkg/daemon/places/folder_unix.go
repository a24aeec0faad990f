//go:build unix

package places

import (
	"os"
	"syscall"
)

// folderOf identifies a folder in its file system, also when it is renamed; 0: it is not known.
func folderOf(path string) uint64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Ino) //nolint:unconvert // it is no uint64 on every system
	}
	return 0
}
