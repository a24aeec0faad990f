package hooks

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"syscall"
)

// silentClient opens the standard error of a client that runs with --init-only, which shows no hook output (seen with
// 2.1.329). It returns nil for a client without that flag, or of another user.
func silentClient() io.WriteCloser {
	client := os.Getppid()
	arguments, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", client))
	if err != nil || !isInitOnly(arguments) {
		return nil
	}
	file, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/2", client), os.O_WRONLY|os.O_APPEND|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil
	}
	return file
}

// isInitOnly reports whether NUL-terminated arguments have the flag --init-only.
func isInitOnly(arguments []byte) bool {
	for argument := range bytes.SplitSeq(arguments, []byte{0}) {
		if string(argument) == "--init-only" {
			return true
		}
		if string(argument) == "--" {
			return false
		}
	}
	return false
}
