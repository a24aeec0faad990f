//go:build linux && amd64

package hooks_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// mostCalls are the system calls that a program may make for its own work, with one folder
// between the root and the world of the test.
var mostCalls = []struct {
	program, input string
	most           int
}{
	{"post-tool-use", "PostToolUse-Edit", 99},
	{"user-prompt-submit", "UserPromptSubmit", 104},
}

// fewest is how many calls a hook makes at least: it reads its input, writes an event and notifies the daemon.
const fewest = 20

// callsAFolder is how many more they make at most for each folder on the way to the world: it is asked
// three times whether another user could replace it, and the paths of project and file are resolved.
const callsAFolder = 9

// TestHooksMakeFewSystemCalls bounds the system calls of a hook, which cost time on any machine and which no timed test shows.
func TestHooksMakeFewSystemCalls(t *testing.T) {
	for _, c := range mostCalls {
		t.Run(c.program, func(t *testing.T) {
			w := newWorld(t)
			startDaemon(t, w, injected)
			input := w.local(readFile(t, filepath.Join(repository, "testdata", "hook-input", c.input+".json")))
			traced(t, w, c.program, input) // makes the spool
			calls := traced(t, w, c.program, input)
			for range 2 { // on a busy machine an answer can be late, and the event then takes the longer way
				if again := traced(t, w, c.program, input); len(again) < len(calls) {
					calls = again
				}
			}
			if len(calls) < fewest {
				t.Fatalf("%d calls were seen, which cannot be all: %v", len(calls), calls)
			}
			most := c.most + callsAFolder*(strings.Count(w.base, "/")-2)
			t.Logf("%d calls", len(calls))
			if len(calls) > most {
				t.Errorf("%d calls, the most is %d; by number (ausyscall or <asm/unistd_64.h> name them): %v", len(calls), most, calls)
			}
		})
	}
}

// ofTheRuntime are the calls by which Go's runtime starts, schedules, waits and takes memory.
// How many there are differs from run to run.
var ofTheRuntime = map[uint64]bool{
	syscall.SYS_FUTEX: true, syscall.SYS_NANOSLEEP: true, syscall.SYS_SCHED_YIELD: true, syscall.SYS_SCHED_GETAFFINITY: true,
	syscall.SYS_EPOLL_CREATE1: true, syscall.SYS_EPOLL_CTL: true, syscall.SYS_EPOLL_PWAIT: true, syscall.SYS_EVENTFD2: true,
	syscall.SYS_MMAP: true, syscall.SYS_MUNMAP: true, syscall.SYS_MADVISE: true, syscall.SYS_MPROTECT: true,
	syscall.SYS_RT_SIGACTION: true, syscall.SYS_RT_SIGPROCMASK: true, syscall.SYS_RT_SIGRETURN: true, syscall.SYS_SIGALTSTACK: true,
	syscall.SYS_CLONE: true, syscall.SYS_GETTID: true, syscall.SYS_GETPID: true, syscall.SYS_TGKILL: true, syscall.SYS_ARCH_PRCTL: true,
	syscall.SYS_PREAD64: true /* of a limit on processors */, syscall.SYS_PRCTL: true, syscall.SYS_EXIT: true, syscall.SYS_EXIT_GROUP: true, syscall.SYS_RESTART_SYSCALL: true,
}

// wakeBytes is how many bytes the runtime writes and reads to wake the polling thread.
const wakeBytes = 8

// isOwn reports whether a program makes the call for its own work.
func isOwn(regs syscall.PtraceRegs) bool {
	if regs.Orig_rax == syscall.SYS_READ || regs.Orig_rax == syscall.SYS_WRITE {
		return regs.Rdx != wakeBytes
	}
	return !ofTheRuntime[regs.Orig_rax]
}

// traced runs a program and returns the numbers of the system calls of its own: those since it asked for its
// path, which package os does first. Before, the runtime looks at the machine, each in its own way.
func traced(t *testing.T, w *world, name, input string) (calls []uint64) {
	t.Helper()
	runtime.LockOSThread() // only the thread that started a process may trace it
	defer runtime.UnlockOSThread()
	stdin := musttest.Get(os.Open(writeInput(t, input)))(t)
	defer func() { _ = stdin.Close() }()
	cmd := exec.Command(filepath.Join(libexec, name))
	cmd.Stdin, cmd.Dir = stdin, w.project
	for name, value := range w.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); errors.Is(err, syscall.EPERM) {
		t.Skipf("this system lets nobody trace a process: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }() // one that was not followed to its end
	calls = follow(t, cmd.Process.Pid)
	return calls[max(0, slices.Index(calls, syscall.SYS_READLINKAT)):]
}

// follow lets a traced process run to its end.
func follow(t *testing.T, pid int) (calls []uint64) {
	t.Helper()
	const endWithTracer = 0x100000 // PTRACE_O_EXITKILL
	var status syscall.WaitStatus
	musttest.Get(syscall.Wait4(pid, &status, 0, nil))(t)
	musttest.Do(t, syscall.PtraceSetOptions(pid, syscall.PTRACE_O_TRACESYSGOOD|syscall.PTRACE_O_TRACECLONE|endWithTracer))
	inside := map[int]bool{} // by thread
	next := pid
	for signal := 0; ; {
		if err := syscall.PtraceSyscall(next, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
		for {
			thread := musttest.Get(syscall.Wait4(-1, &status, syscall.WALL|syscall.WNOTHREAD, nil))(t)
			if status.Stopped() {
				next = thread
				break
			}
			if thread == pid {
				musttest.Same(t, 0, status.ExitStatus(), "ended with %v", status)
				return calls
			}
		}
		signal = 0
		switch stop := status.StopSignal(); stop {
		case syscall.SIGTRAP | 0x80: // begins or ends a call
			if inside[next] = !inside[next]; inside[next] {
				var regs syscall.PtraceRegs
				if err := syscall.PtraceGetRegs(next, &regs); err == nil && isOwn(regs) {
					calls = append(calls, regs.Orig_rax)
				}
			}
		case syscall.SIGTRAP, syscall.SIGSTOP: // a new thread
		default:
			signal = int(stop)
		}
	}
}

func writeInput(t *testing.T, input string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "input.json")
	musttest.Do(t, os.WriteFile(file, bytes.TrimSpace([]byte(input)), 0o600))
	return file
}
