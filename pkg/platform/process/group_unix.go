//go:build unix

package process

import "syscall"

// KillGroup ends the processes of a separate command's group. There is nobody left, as a rule.
func KillGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
