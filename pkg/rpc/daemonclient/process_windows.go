package daemonclient

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
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

// End kills the daemon's process.
func End(_ context.Context, _ paths.Layout, pid int) error {
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		return fmt.Errorf("end the daemon, process %d: %w", pid, err)
	}
	return nil
}
