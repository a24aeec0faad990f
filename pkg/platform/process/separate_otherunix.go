//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"
)

// Separate gives a command its own process group, so that Ctrl-C in this process's terminal does not reach the command, and its
// children can be killed with it. Outside of Linux the children of a process that dies go on: the engine ends itself when its
// stdin ends, or else the next daemon ends it, and a model's client ends after one call.
func Separate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
