//go:build unix

package agentclient

import (
	"os"
	"strconv"
	"syscall"
)

// keepDescriptors has the agent inherit none of the descriptors that this process
// was started with by mistake: the agent outlives its starter, and whoever waits
// for the end of such a pipe would wait for the agent.
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
