package agentclient

import (
	"os/exec"
	"syscall"
)

// detachedProcess keeps a console window from flashing up.
const detachedProcess = 0x00000008

// launch starts a program that outlives the hook. Package os/exec finds its .exe.
func launch(program, dir string, env []string) error {
	cmd := exec.Command(program)
	cmd.Dir, cmd.Env = dir, env
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
