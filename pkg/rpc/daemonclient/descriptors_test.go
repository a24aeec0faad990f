//go:build linux

package daemonclient_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// TestTheDaemonInheritsNoDescriptor has a pipe that its maker did not mark, as a
// client's may be: its reader waits until nobody has the other end.
func TestTheDaemonInheritsNoDescriptor(t *testing.T) {
	dir := t.TempDir()
	libexec := filepath.Join(dir, "plugin", "libexec")
	lives := filepath.Join(dir, "lives")
	if err := errors.Join(os.MkdirAll(libexec, 0o700), syscall.Mkfifo(lives, 0o600)); err != nil {
		t.Fatal(err)
	}
	// The daemon lives until somebody opens the pipe that it reads.
	script := "#!/bin/sh\nread -r line < '" + lives + "'\n"
	if err := plugintest.WriteProgram(filepath.Join(libexec, "memoryd"), []byte(script)); err != nil {
		t.Fatal(err)
	}
	var pipe [2]int
	if err := syscall.Pipe(pipe[:]); err != nil { // without O_CLOEXEC
		t.Fatal(err)
	}
	daemon := daemonclient.Daemon{Paths: paths.Layout{Home: filepath.Join(dir, "home")}, Executable: filepath.Join(libexec, "x"), Now: time.Now}
	if err := os.Mkdir(daemon.Paths.Home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	alive, err := os.OpenFile(lives, os.O_WRONLY, 0) // returns when the daemon reads: it has started
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = alive.Close() }()
	if err := syscall.Close(pipe[1]); err != nil {
		t.Fatal(err)
	}
	if err := syscall.SetNonblock(pipe[0], true); err != nil {
		t.Fatal(err)
	}
	reader := os.NewFile(uintptr(pipe[0]), "pipe")
	defer func() { _ = reader.Close() }()
	if err := reader.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := reader.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("read %d, %v: somebody has the other end, want its end", n, err)
	}
}
