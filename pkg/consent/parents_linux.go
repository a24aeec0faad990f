package consent

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// mostParents bounds the processes above this one that are looked at.
const mostParents = 64

// parents yields the environments of the processes above this one, as each was when the process started: variables that a client takes
// over from a settings file later are not in it.
func parents(yield func(environ []string, shown bool) bool) {
	pid := os.Getppid()
	for range mostParents {
		text, err := os.ReadFile(inProc(pid, "environ"))
		if err != nil {
			yield(nil, false)
			return
		}
		if !yield(strings.Split(string(text), "\x00"), true) {
			return
		}
		if pid = parentOf(pid); pid <= 0 {
			return
		}
	}
}

// parentOf is the process that started another, or 0.
func parentOf(pid int) int {
	stat, err := os.ReadFile(inProc(pid, "stat"))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // the name before it can have blanks
	if len(fields) < 2 {
		return 0
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return parent
}

func inProc(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }

// shellLine is the arguments of the shell that runs this command, and whether a client has started that shell.
func shellLine() (arguments string, ofClient bool) {
	shell := os.Getppid()
	text, err := os.ReadFile(inProc(shell, "cmdline"))
	if err != nil {
		return "", false
	}
	environ, err := os.ReadFile(inProc(parentOf(shell), "environ"))
	if err != nil {
		return "", false
	}
	client := table(strings.Split(string(environ), "\x00"))
	ofClient = client[startedByClient] == "" || client[sessionVariable] != os.Getenv(sessionVariable)
	return strings.Join(strings.Split(strings.TrimRight(string(text), "\x00"), "\x00"), " "), ofClient
}
