//go:build unix

package daemonclient

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// launch starts a program in a session of its own, so that it outlives this process and gets none of the client's signals.
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

// keepDescriptors keeps the daemon from inheriting descriptors that this process inherited by mistake. The reader of
// an inherited pipe would otherwise wait until the daemon ends.
func keepDescriptors() {
	dir, err := os.Open("/dev/fd")
	if err != nil {
		return
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if fd, err := strconv.Atoi(name); err == nil && fd > syscall.Stderr {
			syscall.CloseOnExec(fd)
		}
	}
}

// endPoll is the pause between two checks whether a killed daemon is gone.
const endPoll = 2 * time.Millisecond

// End kills process pid if it is the daemon that holds the home's lock, and waits until the lock is free or ctx ends.
// The engine ends with the daemon; the next daemon ingests the events that it had taken from the spool. It fails if the lock is held but
// pid is not a daemon.
func End(ctx context.Context, layout paths.Layout, pid int) error {
	if !isHeld(layout.Lock()) {
		return nil
	}
	if pid <= 1 || !isDaemon(pid) {
		return fmt.Errorf("%s is held, and %s does not name the daemon that holds it: end the process memoryd",
			layout.Lock(), layout.PIDFile())
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("end the daemon, process %d: %w", pid, err)
	}
	ticker := time.NewTicker(endPoll)
	defer ticker.Stop()
	for isHeld(layout.Lock()) {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("process %d (the daemon) was killed but has not ended: wait, or restart the machine, then try again: %w", pid, ctx.Err())
		}
	}
	return nil
}

// isHeld reports whether another process holds the lock on file.
func isHeld(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // releases the lock, too
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// isDaemon reports whether a process is memoryd. Outside Linux it returns true: the pid comes from the file that the
// lock's holder wrote.
func isDaemon(pid int) bool {
	if runtime.GOOS != "linux" {
		return true
	}
	arguments, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	program, _, _ := strings.Cut(string(arguments), "\x00")
	return err == nil && filepath.Base(program) == memoryd
}
