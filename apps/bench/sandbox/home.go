package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

// Home is one MEMORY_HOME with everything that runs for it.
type Home struct {
	Dir     string
	sandbox *Sandbox
}

func (h *Home) layout() paths.Layout { return paths.Layout{Home: h.Dir} }

// Spool returns the spool of the home.
func (h *Home) Spool() *spool.Spool { return spool.New(h.layout().Spool()) }

// Run runs a hook, or the floor, as the client does.
func (h *Home) Run(ctx context.Context, c Call) (Result, error) {
	return h.sandbox.run(ctx, c, h.environment())
}

// environment returns the environment of a session. It has only the PATH of the caller's environment.
func (h *Home) environment() []string {
	dir := h.sandbox.dir
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + dir,
		"TMPDIR=" + dir,
		"CLAUDE_CONFIG_DIR=" + filepath.Join(dir, "claude"),
		"CLAUDE_PLUGIN_ROOT=" + h.sandbox.Plugin,
		"CLAUDE_PROJECT_DIR=" + h.sandbox.Project,
		"CLAUDE_PID=" + strconv.Itoa(os.Getpid()),
		"MEMORY_HOME=" + h.Dir,
		enginetest.Setting(),
	}
}

// Memory runs the CLI and returns its output.
func (h *Home) Memory(ctx context.Context, args ...string) ([]byte, error) {
	r, err := h.Run(ctx, Call{Command: filepath.Join(h.sandbox.Plugin, "bin", "memory"), Args: args})
	return r.Output, errors.Join(err, r.Err)
}

// Status returns the daemon's status.
func (h *Home) Status(ctx context.Context) (daemonapi.StatusResult, error) {
	var status daemonapi.StatusResult
	output, err := h.Memory(ctx, "status", "--json")
	if err != nil {
		return status, err
	}
	if err := json.Unmarshal(output, &status); err != nil {
		return status, fmt.Errorf("read the daemon's status: %w", err)
	}
	return status, nil
}

// WaitForCounts waits until the daemon has counted the rows of its store, which takes a while for a large store, and returns the
// status.
func (h *Home) WaitForCounts(ctx context.Context) (status daemonapi.StatusResult, err error) {
	err = Poll(ctx, readyTime, 100*time.Millisecond, func() (bool, error) {
		status, err = h.Status(ctx)
		return status.Store != nil, err
	})
	return status, err
}

const (
	readyTime  = time.Minute
	settleTime = 30 * time.Second
)

// Ready waits until the daemon can answer. The caller must have started it.
func (h *Home) Ready(ctx context.Context) error {
	var status daemonapi.StatusResult
	var unanswered error
	err := Poll(ctx, readyTime, 20*time.Millisecond, func() (bool, error) {
		status, unanswered = h.Status(ctx) // a daemon that starts on a busy machine may be late
		return status.State == "ready", nil
	})
	if err != nil {
		return fmt.Errorf("wait for the daemon (%s: %s): %w", status.State, status.Reason, errors.Join(err, unanswered))
	}
	return nil
}

// Settle waits until the daemon has ingested all spooled events.
func (h *Home) Settle(ctx context.Context) error {
	var counts spool.Counts
	err := Poll(ctx, settleTime, time.Millisecond, func() (ok bool, err error) {
		counts, err = h.Spool().Counts()
		return counts.New+counts.Claimed == 0, err
	})
	if err != nil {
		return fmt.Errorf("wait for %d events in the spool: %w", counts.New+counts.Claimed, err)
	}
	return nil
}

const (
	// restWindow is the time in which a process at rest uses less than mostAtRest of processor time.
	restWindow = 10 * time.Millisecond
	mostAtRest = time.Millisecond
)

// Rest waits until the daemon and the engine are idle: after an ingest they still write to disk and tidy up memory.
// It does not wait on systems that hide the processor time of processes.
func (h *Home) Rest(ctx context.Context) error {
	pids := h.processes()
	before, known := used(pids)
	if !known {
		return nil
	}
	first := true
	err := Poll(ctx, settleTime, restWindow, func() (bool, error) {
		now, _ := used(pids)
		atRest := !first && now-before < mostAtRest
		before, first = now, false
		return atRest, nil
	})
	if err != nil {
		return fmt.Errorf("the daemon or the engine did not become idle: %w", err)
	}
	return nil
}

// used returns the processor time of all threads of the processes, and whether it is known.
func used(pids map[string]int) (time.Duration, bool) {
	var sum time.Duration
	for _, pid := range pids {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		if err != nil || len(threads) == 0 {
			return 0, false
		}
		for _, thread := range threads {
			content, err := os.ReadFile(thread)
			if err != nil { // the thread has just ended
				continue
			}
			running, _, _ := bytes.Cut(content, []byte(" "))
			nanoseconds, err := strconv.ParseInt(string(running), 10, 64)
			if err != nil {
				return 0, false
			}
			sum += time.Duration(nanoseconds)
		}
	}
	return sum, true
}

// Poll calls done until it returns true or an error, or the limit is over.
func Poll(ctx context.Context, limit, pause time.Duration, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// HookErrors returns the size of the hooks' log, as a position for HookErrorSince.
func (h *Home) HookErrors() int64 {
	info, err := os.Stat(h.layout().HookLog())
	if err != nil { // nothing is logged yet
		return 0
	}
	return info.Size()
}

// HookErrorSince returns the text that hooks have logged after a position, or "" if there is none.
func (h *Home) HookErrorSince(position int64) string {
	if h.HookErrors() == position {
		return ""
	}
	content, err := os.ReadFile(h.layout().HookLog())
	if err != nil || int64(len(content)) < position {
		return "the hooks' log changed and cannot be read"
	}
	return string(bytes.TrimSpace(content[position:]))
}

// CopyTo copies a stopped home with its data.
func (h *Home) CopyTo(name string) (*Home, error) {
	to := h.sandbox.Home(name)
	if err := copyTree(h.Dir, to.Dir); err != nil {
		return nil, fmt.Errorf("copy the home: %w", err)
	}
	return to, nil
}

// Remove deletes a stopped home.
func (h *Home) Remove() error { return os.RemoveAll(h.Dir) }

// endTime is the time limit for the end of a process after the daemon has reported it.
const endTime = 10 * time.Second

// Stop stops the daemon and its engine and waits until they are gone. It kills a process that does not end, and
// then returns an error. It ignores the end of ctx.
func (h *Home) Stop(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	started := h.processes() // the daemon removes these files when it ends
	_, err := h.Memory(ctx, "daemon", "stop")
	for what, pid := range started {
		gone := Poll(ctx, endTime, 5*time.Millisecond, func() (bool, error) { return !alive(pid), nil })
		if gone == nil {
			continue
		}
		err = errors.Join(err, fmt.Errorf("%s (process %d) did not end and was killed", what, pid))
		if process, findErr := os.FindProcess(pid); findErr == nil {
			err = errors.Join(err, process.Kill())
		}
	}
	if err != nil {
		return fmt.Errorf("stop the daemon: %w", err)
	}
	return nil
}

// processes returns the pids in the files of the home, by name.
func (h *Home) processes() map[string]int {
	found := map[string]int{}
	if content, err := os.ReadFile(h.layout().PIDFile()); err == nil {
		if pid, err := strconv.Atoi(string(bytes.TrimSpace(content))); err == nil {
			found["the daemon"] = pid
		}
	}
	if content, err := os.ReadFile(filepath.Join(h.layout().Run(), "engine.json")); err == nil {
		var engine struct {
			PID int `json:"pid"`
		}
		if json.Unmarshal(content, &engine) == nil && engine.PID > 0 {
			found["the engine"] = engine.PID
		}
	}
	return found
}

// alive reports whether a process runs. A zombie does not count: it waits for its parent, which is not this
// process.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil {
		_, state, _ := bytes.Cut(stat, []byte(") ")) // the state follows the name, which is in parentheses
		return len(state) > 0 && state[0] != 'Z' && state[0] != 'X'
	}
	if _, err := os.Stat("/proc/self/stat"); !errors.Is(err, fs.ErrNotExist) {
		return false // /proc exists, and the process is not in it
	}
	process, err := os.FindProcess(pid)
	return err == nil && process.Signal(syscall.Signal(0)) == nil
}

// Usage is the resource usage of a process.
type Usage struct {
	CPU      time.Duration // CPU time of all threads that still run
	Resident int64         // bytes, now
	Peak     int64         // bytes, maximum so far
}

// Usage returns the resource usage of the daemon and its engine. Both are zero where the system does not report it;
// Linux does.
func (h *Home) Usage() (daemon, engine Usage) {
	pids := h.processes()
	return usageOf(pids["the daemon"]), usageOf(pids["the engine"])
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

// kilobytes parses a line such as "VmRSS:    1234 kB" and returns bytes, or 0 if there is none.
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
