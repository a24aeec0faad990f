package runner

import (
	"os/exec"
	"syscall"
)

// separate gives the client a process group of its own, so that it is killed with its
// children, and lets the kernel kill it when the agent dies.
func separate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
