//go:build unix

package spool

import (
	"fmt"
	"os"
	"syscall"
)

// own makes the directory if it is missing and refuses one of another user's:
// the fallback spool lies where everybody may write.
func own(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("%s belongs to user %d, not to us: remove it or set MEMORY_HOME", dir, stat.Uid)
	}
	return nil
}
