package engine

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// separate gives the child its own process group, so that a Ctrl-C in the terminal of its supervisor does not reach it
// before the supervisor asks it to end, and lets the kernel kill it when the supervisor dies without asking.
func separate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// lookUp finds the process that runs as pid. A process that has ended and was not reaped
// does not run.
func lookUp(_ context.Context, pid int) (process, bool) {
	arguments, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || len(arguments) == 0 {
		return process{}, false
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return process{}, false
	}
	found := process{command: string(bytes.ReplaceAll(arguments, []byte{0}, []byte{' '}))}
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "PPid: %d", &found.parent); err == nil {
			return found, true
		}
	}
	return process{}, false
}
