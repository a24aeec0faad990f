package models

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// mostLooks is the maximum number of searches for processes, in case they start others faster than they are killed.
const mostLooks = 100

// killMarked kills the processes that have pair in their environment. All processes of a call inherit it, even in
// other sessions and groups.
func killMarked(pair string) error {
	killed := false
	for range mostLooks {
		found, unread, err := killOnce(pair)
		if err != nil || !found && !unread {
			return err
		}
		if killed = found; !found {
			time.Sleep(time.Millisecond) // time for execve(2)
		}
	}
	if killed {
		return errors.New("the client's processes start new ones faster than they can be killed")
	}
	return nil // the unreadable process was started without an environment
}

// killOnce kills the processes with pair in their environment. found reports whether there was one, and unread whether the
// environment of a process was empty, as it is for a moment while the process starts a program (execve).
func killOnce(pair string) (found, unread bool, err error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return false, false, fmt.Errorf("look for the client's processes: %w", err)
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		process, err := os.FindProcess(pid) // pins the process: a reused pid is not killed
		if err != nil {
			continue
		}
		environment, err := os.ReadFile("/proc/" + entry.Name() + "/environ") // fails for other users' processes
		if err == nil && len(environment) == 0 {
			_, program := os.Readlink("/proc/" + entry.Name() + "/exe") // kernel threads and ended processes have none
			unread = unread || program == nil
		}
		if bytes.Contains(append([]byte{0}, environment...), []byte("\x00"+pair+"\x00")) && process.Kill() == nil {
			found = true
		}
		_ = process.Release()
	}
	return found, unread, nil
}
