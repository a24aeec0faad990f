//go:build linux

package daemonclient_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// listenForOne has a socket with room for one caller who waits, and nobody who answers.
func listenForOne(t *testing.T) (socket string) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "daemon.sock")
	fd := musttest.Get(syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0))(t)
	t.Cleanup(func() { _ = syscall.Close(fd) })
	musttest.Do(t, errors.Join(os.Chmod(filepath.Dir(socket), 0o700), syscall.Bind(fd, &syscall.SockaddrUnix{Name: socket}), syscall.Listen(fd, 0)))
	return socket
}

// A daemon with so many callers that no more may wait runs: another must not be started.
func TestADaemonWithTooManyCallersIsBusyAndNotGone(t *testing.T) {
	socket := listenForOne(t)
	first := musttest.Get(daemonclient.Dial(t.Context(), socket))(t)
	defer func() { _ = first.Close() }()
	second, err := daemonclient.Dial(t.Context(), socket)
	if err == nil {
		_ = second.Close()
		t.Fatal("the second caller was let in, so this test shows nothing")
	}
	if !errors.Is(err, memory.ErrUnavailable) || errors.Is(err, daemonclient.ErrNoDaemon) {
		t.Errorf("error %v, want ErrUnavailable alone", err)
	}
}

func TestADaemonThatHasEndedIsGone(t *testing.T) {
	socket := listenForOne(t)
	fd := musttest.Get(syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0))(t)
	left := filepath.Join(filepath.Dir(socket), "left.sock")
	musttest.Do(t, errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: left}), syscall.Close(fd)))
	if _, err := daemonclient.Dial(t.Context(), left); !errors.Is(err, daemonclient.ErrNoDaemon) || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("error %v, want ErrNoDaemon", err)
	}
}

func TestNobodyIsCalledAfterTheDeadline(t *testing.T) {
	late, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	_, err := daemonclient.Dial(late, listenForOne(t))
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, daemonclient.ErrNoDaemon) {
		t.Errorf("error %v, want the deadline's", err)
	}
}

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
