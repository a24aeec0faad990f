//go:build !linux

package consent

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// parents yields that the system does not show the environment of other processes.
func parents(yield func(environ []string, shown bool) bool) { yield(nil, false) }

// askTime bounds asking the system for a process.
const askTime = 2 * time.Second

// shellLine is the arguments of the shell that runs this command, and whether the client has started that shell. Where there is no
// ps, as on Windows, that is not known.
func shellLine() (arguments string, ofClient bool) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	text, err := exec.CommandContext(ctx, "/bin/ps", "-ww", "-o", "ppid=,command=", "-p", strconv.Itoa(os.Getppid())).Output()
	if err != nil {
		return "", false
	}
	parent, arguments, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	return arguments, parent == os.Getenv("CLAUDE_PID")
}
