//go:build unix

package agentclient

import (
	"os"
	"syscall"
)

// launch starts a program in a session of its own, so that it outlives the hook and the
// client's signals do not reach it.
func launch(program, dir string, env []string) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = null.Close() }()
	keepDescriptors()
	process, err := os.StartProcess(program, []string{program}, &os.ProcAttr{
		Dir: dir, Env: env, Files: []*os.File{null, null, null}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return err
	}
	return process.Release()
}
