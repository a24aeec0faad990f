//go:build linux

package daemonclient_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
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
