//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"
)

// Separate gives a command its own process group, so that Ctrl-C in this process's terminal does not reach it and
// its children can be killed with it. There is no parent-death signal here: the embedded server notices the end of
// its stdin, the next supervisor ends a leftover engine, and a model's client ends after its only call.
func Separate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
