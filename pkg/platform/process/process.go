// Package process looks at programs that run on this machine, ends them, and keeps those that this one starts from
// outliving it.
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
	Args        []string          // the program first
	Started     time.Time         // on Linux to some milliseconds, else to a second; zero if it is not known
	Env         map[string]string // empty where the system does not tell it
}

// All lists the processes whose environment this user may read: their own. It is errors.ErrUnsupported where the system
// does not tell the environment of processes.
func All() ([]Process, error) {
	if runtime.GOOS != "linux" {
		return nil, errors.ErrUnsupported
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var found []Process
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if p, ok := read(pid); ok {
			found = append(found, p)
		}
	}
	return found, nil
}

// Find finds the process that runs as pid. One that has ended and was not reaped does not run. On Windows it finds none: a
// process that may not be ours is left alone.
func Find(pid int) (Process, bool) {
	if runtime.GOOS == "linux" {
		return read(pid)
	}
	return listed(pid)
}

// listed returns what ps tells of a process.
func listed(pid int) (Process, bool) {
	ps := exec.Command("ps", "-ww", "-o", "ppid=,lstart=,command=", "-p", strconv.Itoa(pid))
	ps.Env = append(os.Environ(), "LC_ALL=C")
	output, err := ps.Output()
	words := strings.Fields(string(output))
	const before = 6 // the parent, and five words of a time
	if err != nil || len(words) <= before {
		return Process{}, false
	}
	found := Process{PID: pid, Args: words[before:]}
	found.Started, _ = time.ParseInLocation("Mon Jan 2 15:04:05 2006", strings.Join(words[1:before], " "), time.Local)
	found.Parent, err = strconv.Atoi(words[0])
	return found, err == nil
}

// mostAncestors bounds how many are looked at.
const mostAncestors = 64

// Ancestors returns the processes that this one descends from, the nearest first, whoever's they are. It has none on Windows, and none
// behind one that has ended.
func Ancestors() (all []Process) {
	for pid := os.Getppid(); pid > 1 && len(all) < mostAncestors && runtime.GOOS != "windows"; {
		find := Find
		if runtime.GOOS == "linux" {
			find = record
		}
		p, ok := find(pid)
		if !ok {
			break
		}
		all, pid = append(all, p), p.Parent
	}
	return all
}

// read reads Linux's record of a process with its environment. It skips those of other users.
func read(pid int) (Process, bool) {
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return Process{}, false
	}
	p, ok := record(pid)
	p.Env = map[string]string{}
	for pair := range strings.SplitSeq(string(environment), "\x00") {
		key, value, _ := strings.Cut(pair, "=")
		p.Env[key] = value
	}
	return p, ok
}

// record reads Linux's record of a process. It skips zombies, which have no arguments any more.
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
	_, after, _ := strings.Cut(string(status), ") ") // the name may have blanks
	fields := strings.Fields(after)
	if len(fields) <= startField {
		return Process{}, false
	}
	p.Parent, err = strconv.Atoi(fields[1])
	p.Started = sinceBoot(fields[startField])
	return p, err == nil && fields[0] != "Z"
}

// startField is the place of the start in the record of a process, in the ticks of Linux's interface since the machine's.
const (
	startField     = 19
	ticksPerSecond = 100
)

// sinceBoot returns the time at which so many ticks had passed since the machine's start; zero if it is not known.
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
	endTime   = 5 * time.Second // from the request to end to the kill
	pollPause = 10 * time.Millisecond
)

// Ask asks a process to end. On Windows, which has no signal that asks, it ends at once.
func Ask(target *os.Process) error {
	if runtime.GOOS == "windows" {
		return target.Kill()
	}
	return target.Signal(syscall.SIGTERM)
}

// End asks a process to end, and kills it if it does not within five seconds, or before ctx ends. One that has ended is no
// error.
func End(ctx context.Context, pid int) error {
	target, err := os.FindProcess(pid)
	if err != nil {
		return nil // there is no such process any more
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

// unlessEnded is the error of a signal, unless that came after the process had ended.
func unlessEnded(pid int, err error) error {
	if _, isRunning := Find(pid); err == nil || !isRunning {
		return nil
	}
	return fmt.Errorf("end the process %d: %w", pid, err)
}

// Run runs a command to its end, separately. All the processes that it has started end with it, whatever ends it or this
// process.
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
