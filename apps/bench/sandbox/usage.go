package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Usage is the consumption of a process.
type Usage struct {
	CPU      time.Duration // of all threads that still run
	Resident int64         // bytes, now
	Peak     int64         // bytes, the most so far
}

// Usage is the consumption of the agent and its engine, where the system tells it
// (Linux); elsewhere both are zero.
func (h *Home) Usage() (agent, engine Usage) {
	pids := h.processes()
	return usageOf(pids["the agent"]), usageOf(pids["the engine"])
}

func usageOf(pid int) Usage {
	var u Usage
	if pid == 0 {
		return u
	}
	u.CPU, _ = used(map[string]int{"": pid})
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return u
	}
	u.Resident, u.Peak = kilobytes(status, "VmRSS:"), kilobytes(status, "VmHWM:")
	return u
}

// kilobytes reads a line such as "VmRSS:    1234 kB", in bytes; 0 if there is none.
func kilobytes(status []byte, name string) int64 {
	_, rest, _ := bytes.Cut(status, []byte(name))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}
