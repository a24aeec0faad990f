//go:build unix

package agentclient

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// End kills the process if it is the agent that holds the home's lock, and waits until
// the lock is free. The agent's engine ends with it, and the next agent takes in its
// claimed events again.
func End(ctx context.Context, layout paths.Layout, pid int) error {
	if !isHeld(layout.Lock()) {
		return nil
	}
	if pid <= 1 || !isAgent(pid) {
		return fmt.Errorf("%s is held, and %s does not name the agent that holds it: end the process memoryd", layout.Lock(), layout.PIDFile())
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("end the agent, process %d: %w", pid, err)
	}
	ticker := time.NewTicker(endPoll)
	defer ticker.Stop()
	for isHeld(layout.Lock()) {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("%w (process %d): %w", errHeld, pid, ctx.Err())
		}
	}
	return nil
}

// isHeld tells whether another process has locked the file.
func isHeld(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // releases the lock
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// isAgent tells whether a process is memoryd. Where the system does not say, the
// file in which the holder of the lock wrote its process counts.
func isAgent(pid int) bool {
	if runtime.GOOS != "linux" {
		return true
	}
	arguments, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	program, _, _ := strings.Cut(string(arguments), "\x00")
	return err == nil && filepath.Base(program) == memoryd
}
