//go:build unix

package paths

import (
	"os"
	"syscall"
)

// isOurs says whether a folder is this user's alone, or is not there yet.
func isOurs(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil {
		return os.IsNotExist(err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.IsDir() && int(stat.Uid) == os.Getuid() && info.Mode().Perm()&0o022 == 0
}
