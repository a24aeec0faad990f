package models

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// mostLooks bounds how often the processes are looked through, should one start others
// faster than they are killed.
const mostLooks = 100

// killMarked ends the processes that have a pair in their environment, which those of one
// call inherit, also in sessions and groups of their own.
func killMarked(pair string) error {
	killed := false
	for range mostLooks {
		found, unread, err := killOnce(pair)
		if err != nil || !found && !unread {
			return err
		}
		if killed = found; !found {
			time.Sleep(time.Millisecond) // the duration of execve(2)
		}
	}
	if killed {
		return errors.New("the client's processes start others faster than they are killed")
	}
	return nil // the one that cannot be read was started without an environment
}

// killOnce reports whether there was one, and whether one could not be read: a process that executes
// another program has no environment for that moment.
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
		process, err := os.FindProcess(pid) // from here on no other process is meant
		if err != nil {
			continue
		}
		environment, err := os.ReadFile("/proc/" + entry.Name() + "/environ") // another user's cannot be read
		if err == nil && len(environment) == 0 {
			_, program := os.Readlink("/proc/" + entry.Name() + "/exe") // neither the kernel's processes nor ended ones have one
			unread = unread || program == nil
		}
		if bytes.Contains(append([]byte{0}, environment...), []byte("\x00"+pair+"\x00")) && process.Kill() == nil {
			found = true
		}
		_ = process.Release()
	}
	return found, unread, nil
}
