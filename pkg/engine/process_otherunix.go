//go:build unix && !linux

package engine

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// separate gives the child its own process group, so that a Ctrl-C in the terminal of its supervisor does not reach it
// before the supervisor asks it to end. There is no parent-death signal here: the embedded server sees the end of its
// stdin, and a surreal binary that outlives its supervisor is ended by the next one.
func separate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// lookUp finds the process that runs as pid.
func lookUp(ctx context.Context, pid int) (process, bool) {
	output, err := exec.CommandContext(ctx, "ps", "-ww", "-o", "ppid=,command=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return process{}, false
	}
	var found process
	line := strings.TrimSpace(string(output))
	if _, err := fmt.Sscan(line, &found.parent); err != nil {
		return process{}, false
	}
	_, found.command, _ = strings.Cut(line, " ")
	return found, true
}
