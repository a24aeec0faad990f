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

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
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
	musttest.Do(t, errors.Join(os.MkdirAll(libexec, 0o700), syscall.Mkfifo(lives, 0o600)))
	// The daemon lives until somebody opens the pipe that it reads.
	script := "#!/bin/sh\nread -r line < '" + lives + "'\n"
	musttest.Do(t, plugintest.WriteProgram(filepath.Join(libexec, "memoryd"), []byte(script)))
	var pipe [2]int
	musttest.Do(t, syscall.Pipe(pipe[:])) // without O_CLOEXEC
	daemon := daemonclient.Daemon{Paths: paths.Layout{Home: filepath.Join(dir, "home")}, Executable: filepath.Join(libexec, "x"), Now: time.Now}
	musttest.Do(t, os.Mkdir(daemon.Paths.Home, 0o700))
	musttest.Do(t, daemon.Start())
	alive := musttest.Get(os.OpenFile(lives, os.O_WRONLY, 0))(t) // returns when the daemon reads: it has started
	defer func() { _ = alive.Close() }()
	musttest.Do(t, syscall.Close(pipe[1]))
	musttest.Do(t, syscall.SetNonblock(pipe[0], true))
	reader := os.NewFile(uintptr(pipe[0]), "pipe")
	defer func() { _ = reader.Close() }()
	musttest.Do(t, reader.SetReadDeadline(time.Now().Add(10*time.Second)))
	if n, err := reader.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("read %d, %v: somebody has the other end, want its end", n, err)
	}
}
