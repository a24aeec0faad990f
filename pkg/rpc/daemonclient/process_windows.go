package daemonclient

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// detachedProcess is a creation flag that keeps a console window from appearing.
const detachedProcess = 0x00000008

// launch starts a program that outlives this process. Package os/exec adds the .exe.
func launch(program, dir string, env []string) error {
	cmd := exec.Command(program)
	cmd.Dir, cmd.Env = dir, env
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

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
