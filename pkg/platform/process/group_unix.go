//go:build unix

package process

import "syscall"

// KillGroup kills the process group of a separate command. Usually nothing is left in it.
func KillGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
