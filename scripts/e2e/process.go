package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// alive reports whether the process runs. A zombie does not count.
func alive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	if err := process.Signal(syscall.Signal(0)); err != nil {
		return errors.Is(err, os.ErrPermission)
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist) || !hasProc()
	}
	// The state follows the command's name, which is in parentheses and may contain parentheses.
	_, state, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')'):], []byte(" "))
	return !bytes.HasPrefix(state, []byte("Z"))
}

// awaitGone waits until none of the processes is alive. If ctx ends first, it returns the processes that are still
// alive.
func awaitGone(ctx context.Context, list func() []int) []int {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		left := slices.Sorted(slices.Values(list()))
		left = slices.DeleteFunc(slices.Compact(left), func(pid int) bool { return !alive(pid) })
		if len(left) == 0 {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return left
		}
	}
}

// processesWith returns the processes whose environment has one of these NAME=value. A temporary directory of a test
// as a value finds the test's own processes. Without /proc it finds none.
func processesWith(variables ...string) []int {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well-formed
	var pids []int
	for _, path := range environments {
		environment, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile, or is another user's
		}
		if !slices.ContainsFunc(bytes.Split(environment, []byte{0}), func(entry []byte) bool {
			return slices.Contains(variables, string(entry))
		}) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// describe names a process for a report, with its command line if that can be read.
func describe(pid int) string {
	command, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return fmt.Sprintf("%d", pid)
	}
	return fmt.Sprintf("%d (%s)", pid, bytes.TrimSpace(bytes.ReplaceAll(command, []byte{0}, []byte(" "))))
}

func hasProc() bool {
	_, err := os.Stat("/proc/self/stat")
	return err == nil
}

// resume continues a process that was stopped by a signal.
func resume(pid int) error {
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return process.Signal(syscall.SIGCONT)
}
