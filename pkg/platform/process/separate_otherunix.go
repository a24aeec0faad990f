//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"
)

// Separate gives a command a process group of its own, so that a Ctrl-C in this process's terminal does not reach it and
// its children can be ended with it. There is no parent-death signal here: the embedded server sees the end of its stdin,
// an engine that outlives its supervisor is ended by the next one, and a model's client ends with its one call.
func Separate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
