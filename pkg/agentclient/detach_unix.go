//go:build unix

package agentclient

import (
	"os/exec"
	"syscall"
)

// detach puts the process into a session of its own, so that it outlives the
// hook and the client's signals do not reach it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
