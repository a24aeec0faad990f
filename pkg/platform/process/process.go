// Package process inspects and ends programs on this machine, and, on Linux, makes started programs end with the
// program that started them.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Process is the system's record of a running process.
type Process struct {
	PID, Parent int
	Args        []string  // the program first
	Started     time.Time // accurate to milliseconds on Linux, else to a second; zero if unknown
}

// Find returns the process with a pid. A zombie does not count as running. On Windows it finds nothing, so that a
// process that may be somebody else's is left alone.
func Find(pid int) (Process, bool) {
	if runtime.GOOS == "linux" {
		return record(pid)
	}
	return listed(pid)
}

// listed returns the process as ps shows it.
func listed(pid int) (Process, bool) {
	ps := exec.Command("ps", "-ww", "-o", "ppid=,lstart=,command=", "-p", strconv.Itoa(pid))
	ps.Env = append(os.Environ(), "LC_ALL=C")
	output, err := ps.Output()
	words := strings.Fields(string(output))
	const before = 6 // the parent's pid, and five words of the start time
	if err != nil || len(words) <= before {
		return Process{}, false
	}
	found := Process{PID: pid, Args: words[before:]}
	found.Started, _ = time.ParseInLocation("Mon Jan 2 15:04:05 2006", strings.Join(words[1:before], " "), time.Local)
	found.Parent, err = strconv.Atoi(words[0])
	return found, err == nil
}

// mostAncestors is the maximum number of processes that Ancestors returns.
const mostAncestors = 64

// Ancestors returns the ancestors of this process, the nearest first, of any user. It returns none on Windows, and
// stops at an ancestor that has ended.
func Ancestors() (all []Process) {
	for pid := os.Getppid(); pid > 1 && len(all) < mostAncestors && runtime.GOOS != "windows"; {
		p, ok := Find(pid)
		if !ok {
			break
		}
		all, pid = append(all, p), p.Parent
	}
	return all
}

// record returns a process from /proc. It skips zombies, which have no arguments.
func record(pid int) (Process, bool) {
	dir := fmt.Sprintf("/proc/%d/", pid)
	arguments, err := os.ReadFile(dir + "cmdline")
	if err != nil || len(arguments) == 0 {
		return Process{}, false
	}
	p := Process{PID: pid, Args: strings.Split(string(bytes.TrimSuffix(arguments, []byte{0})), "\x00")}
	status, err := os.ReadFile(dir + "stat")
	if err != nil {
		return Process{}, false
	}
	_, after, _ := strings.Cut(string(status), ") ") // the name may contain spaces
	fields := strings.Fields(after)
	if len(fields) <= startField {
		return Process{}, false
	}
	p.Parent, err = strconv.Atoi(fields[1])
	p.Started = sinceBoot(fields[startField])
	return p, err == nil && fields[0] != "Z"
}

// startField is the index of the start time in /proc/PID/stat, in ticks since the machine's start.
const (
	startField     = 19
	ticksPerSecond = 100
)

// sinceBoot returns the time that is ticks after the machine's start, or zero if it is unknown.
func sinceBoot(ticks string) time.Time {
	n, err := strconv.ParseInt(ticks, 10, 64)
	text, readErr := os.ReadFile("/proc/uptime")
	up, _, _ := strings.Cut(string(text), " ")
	seconds, parseErr := strconv.ParseFloat(up, 64)
	if errors.Join(err, readErr, parseErr) != nil {
		return time.Time{}
	}
	return time.Now().Add(time.Duration(n)*time.Second/ticksPerSecond - time.Duration(seconds*float64(time.Second)))
}

const (
	endTime   = 5 * time.Second // time between the request to end and the kill
	pollPause = 10 * time.Millisecond
)

// Ask asks a process to end. On Windows, which has no such signal, it kills the process.
func Ask(target *os.Process) error {
	if runtime.GOOS == "windows" {
		return target.Kill()
	}
	return target.Signal(syscall.SIGTERM)
}

// End asks a process to end, and kills it after five seconds or when ctx ends. It succeeds if the process has already ended.
func End(ctx context.Context, pid int) error {
	target, err := os.FindProcess(pid)
	if err != nil {
		return nil // the process has ended
	}
	if err := Ask(target); err != nil {
		return unlessEnded(pid, err)
	}
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	ticker := time.NewTicker(pollPause)
	defer ticker.Stop()
	for {
		if _, isRunning := Find(pid); !isRunning {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return unlessEnded(pid, target.Kill())
		}
	}
}

// unlessEnded returns the error of a signal, or nil if the process has ended.
func unlessEnded(pid int, err error) error {
	if _, isRunning := Find(pid); err == nil || !isRunning {
		return nil
	}
	return fmt.Errorf("end the process %d: %w", pid, err)
}

// Run runs a command in its own process group and waits for it. When the command's context ends, the group is killed.
// On Linux the command is also killed if this process dies.
func Run(command *exec.Cmd) error {
	Separate(command)
	command.Cancel = func() error {
		KillGroup(command.Process.Pid)
		return command.Process.Kill()
	}
	// Linux sends the parent-death signal when the thread that started the child ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return command.Run()
}

// Head keeps the beginning of a program's output, and discards the rest.
type Head struct {
	Text   bytes.Buffer // a field, not embedded, because Buffer.ReadFrom has no limit
	Most   int          // number of bytes to keep
	Full   func()       // is called once, when there are more; may be nil
	IsFull bool
}

func (h *Head) Write(p []byte) (int, error) {
	kept := p[:min(len(p), h.Most-h.Text.Len())]
	h.Text.Write(kept)
	if len(kept) < len(p) && !h.IsFull {
		h.IsFull = true
		if h.Full != nil {
			h.Full()
		}
	}
	return len(p), nil
}
