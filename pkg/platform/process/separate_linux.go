package process

import (
	"os/exec"
	"syscall"
)

// Separate gives a command its own process group, so that Ctrl-C in this process's terminal does not reach the
// command, and its children can be killed with it. The kernel kills the command when the thread that started it ends.
func Separate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
