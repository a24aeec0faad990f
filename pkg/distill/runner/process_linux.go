package runner

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// separate gives the client a process group of its own, so that it is killed with its
// children, and lets the kernel kill it when the agent dies.
func separate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// mostLooks bounds how often the processes are looked through, should one start others
// faster than they are killed.
const mostLooks = 100

// killMarked ends the processes that have a pair in their environment, which those of one
// call inherit, also in sessions and groups of their own.
func killMarked(pair string) error {
	for range mostLooks {
		found, err := killOnce(pair)
		if err != nil || !found {
			return err
		}
	}
	return errors.New("the client's processes start others faster than they are killed")
}

// killOnce tells whether there was one. A process that is being killed has no environment.
func killOnce(pair string) (found bool, err error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return false, fmt.Errorf("look for the client's processes: %w", err)
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
		environment, _ := os.ReadFile("/proc/" + entry.Name() + "/environ") // another user's cannot be read
		if bytes.Contains(append([]byte{0}, environment...), []byte("\x00"+pair+"\x00")) && process.Kill() == nil {
			found = true
		}
		_ = process.Release()
	}
	return found, nil
}
