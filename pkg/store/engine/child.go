package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
)

const (
	readyLimit = 60 * time.Second // opening a large store after a crash replays its log
	stopLimit  = 5 * time.Second  // time between the request to stop and the kill
)

// launch starts the engine's process. When ctx ends, the engine is asked to stop; when the context killed ends, the
// process is killed. It fails with private.ErrUnsafe if other users could have changed anything that the process loads.
func (s *Supervisor) launch(ctx, killed context.Context) (*child, error) {
	if err := s.Choice.check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	started := &child{cancel: cancel, greeting: make(chan string, 1), ended: make(chan struct{})}
	command := s.command(ctx)
	stdout, printed := io.Pipe()
	command.Stdout = printed
	output := &tail{limit: saidKept}
	command.Stderr = io.MultiWriter(s.options.Output, output)
	command.Cancel = func() error { return process.Ask(command.Process) }
	command.WaitDelay = stopLimit
	process.Separate(command)
	// The embedded server stops when its stdin is closed, at the latest when this process ends. Nothing is ever written to it.
	stdin, err := command.StdinPipe()
	if err != nil {
		cancel()
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	launched := make(chan error, 1)
	go func() {
		defer cancel()
		defer close(started.ended)
		defer func() { _ = printed.Close() }() // a pipe in memory closes without an error
		defer func() { _ = stdin.Close() }()   // Wait has closed it already
		// Linux sends the parent-death signal when the thread that started the child ends, so the thread must stay.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		launched <- err
		if err != nil {
			return
		}
		stopKill := context.AfterFunc(killed, func() {
			process.KillGroup(command.Process.Pid)
			_ = command.Process.Kill() // the process has usually ended already
		})
		_ = command.Wait() // ProcessState has the result
		stopKill()
		process.KillGroup(command.Process.Pid)
		started.err = fmt.Errorf("the engine ended (%s): %s", command.ProcessState, output)
		if isDamage(output.String()) {
			started.err = fmt.Errorf("%w: %w", memory.ErrDamaged, started.err)
		}
	}()
	go func() {
		lines := bufio.NewReader(stdout)
		line, _ := lines.ReadString('\n') // empty if the process has ended
		started.greeting <- line
		_, _ = io.Copy(io.Discard, lines)
	}()
	if err := <-launched; err != nil {
		<-started.ended
		return nil, fmt.Errorf("start the engine %s: %w", command.Path, err)
	}
	started.pid = command.Process.Pid
	return started, nil
}

// isDamage reports whether the output of an ended engine shows that damaged files kept it from opening its data.
func isDamage(output string) bool {
	signs := []string{"Corruption: ", "IO error: No such file or directory", "stored on disk is out-of-date"}
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(output, sign) })
}

func (s *Supervisor) command(ctx context.Context) *exec.Cmd {
	command := exec.CommandContext(ctx, s.Choice.node, filepath.Join(s.Choice.Path, serverFile),
		"--data", s.dataURL(), "--secret-file", s.recordPath())
	command.Env = childEnvironment(append(s.bounds(), nodeBounds, ownModules)...)
	return command
}

// bounds returns the settings that keep the engine small: by default the engine caches up to half of the machine's
// memory, and writes pile up. The size of the write buffers, in bytes, also limits the log that the engine replays at
// its start, while a session waits. See docs/adr/0004.
func (s *Supervisor) bounds() []string {
	size, number := 4<<20, 4 // with two buffers instead, writes once stalled for half a minute
	if s.largeBuffers.Load() {
		size, number = 16<<20, 32
	}
	return []string{
		"SURREAL_ROCKSDB_WRITE_BUFFER_SIZE=" + strconv.Itoa(size),
		"SURREAL_ROCKSDB_MAX_WRITE_BUFFER_NUMBER=" + strconv.Itoa(number),
		"SURREAL_ROCKSDB_MIN_WRITE_BUFFER_NUMBER_TO_MERGE=1",
		"SURREAL_ROCKSDB_BLOCK_CACHE_SIZE=16777216",
		// glibc: one heap, because memory is returned to the system only from the end of a heap.
		"MALLOC_ARENA_MAX=1", "MALLOC_TRIM_THRESHOLD_=131072", "MALLOC_MMAP_THRESHOLD_=131072",
	}
}

// nodeBounds limits the heap of new objects in Node.js, in MB.
const nodeBounds = "NODE_OPTIONS=--max-semi-space-size=1"

// ownModules keeps the package ws from looking for a module that is not installed in the folders above the engine's, such as /tmp/node_modules.
const ownModules = "WS_NO_BUFFER_UTIL=1"

// ready waits until the engine prints its port, and returns its URL.
func (c *child) ready(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	var ready struct {
		Port int `json:"port"`
	}
	select {
	case line := <-c.greeting:
		if line == "" {
			return "", c.wait()
		}
		if err := json.Unmarshal([]byte(line), &ready); err != nil || ready.Port == 0 {
			return "", fmt.Errorf("the embedded server printed %q instead of its port", line)
		}
		return fmt.Sprintf("ws://127.0.0.1:%d", ready.Port), nil
	case <-ctx.Done():
		return "", fmt.Errorf("the engine did not come up in time: %w", ctx.Err())
	}
}

// wait waits until the engine's process ends and returns the reason.
func (c *child) wait() error {
	<-c.ended
	return c.err
}

// end asks the engine to stop, kills it if it does not, and waits until it has ended.
func (c *child) end() {
	c.cancel()
	<-c.ended
}
