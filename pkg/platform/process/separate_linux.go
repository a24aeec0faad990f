package process

import (
	"os/exec"
	"syscall"
)

// Separate gives a command a process group of its own, so that a Ctrl-C in this process's terminal does not reach it and
// its children can be ended with it, and lets the kernel kill it when the thread that starts it ends.
func Separate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
