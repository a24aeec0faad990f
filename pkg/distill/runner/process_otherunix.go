//go:build unix && !linux

package runner

import (
	"os/exec"
	"syscall"
)

// separate gives the client a process group of its own, so that it is killed with its
// children. There is no parent-death signal here: a client whose agent was killed ends
// with its one call.
func separate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
