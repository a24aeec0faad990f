//go:build unix

package plugintest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// PublicFolder makes a folder that every user can reach, unlike the test's own temporary folders, and removes it
// with the test.
func PublicFolder(t testing.TB) string {
	t.Helper()
	base, err := os.MkdirTemp("/tmp", "public-")
	if err == nil {
		err = os.Chmod(base, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	return base
}

// CommandOfUser returns a command that runs a copy of the test's own program, in base (see PublicFolder), as
// another user. It has only the environment env, from which TestMain must see what to run. It skips the test unless
// run as root.
func CommandOfUser(t testing.TB, base string, user uint32, env ...string) *exec.Cmd {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root, to be two users")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(program)
	public := filepath.Join(base, "program") // only root can reach the test's own program
	if err = errors.Join(err, WriteProgram(public, content)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), public)
	cmd.Dir, cmd.Env = "/", env
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user, NoSetGroups: true}}
	return cmd
}
