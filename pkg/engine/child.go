package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/process"
)

const (
	readyLimit   = 60 * time.Second // opening a large store after a crash replays its log
	stopLimit    = 5 * time.Second  // from the request to end to the kill
	greetingSize = 4096             // bytes; the ready line is far shorter
	healthPoll   = 20 * time.Millisecond
)

// launch starts the engine. It is asked to end when ctx ends, and killed when killed ends.
func (s *Supervisor) launch(ctx, killed context.Context) (*child, error) {
	ctx, cancel := context.WithCancel(ctx)
	started := &child{cancel: cancel, ended: make(chan struct{})}
	command, err := s.command(ctx, started)
	if err != nil {
		cancel()
		return nil, err
	}
	said := &tail{limit: saidKept}
	command.Stderr = io.MultiWriter(s.options.Output, said)
	command.Cancel = func() error { return process.Ask(command.Process) }
	command.WaitDelay = stopLimit
	process.Separate(command)
	// The embedded server stops when its stdin ends, which is when this process ends. Nothing is ever written to it.
	stdin, err := command.StdinPipe()
	if err != nil {
		cancel()
		return nil, fmt.Errorf("starting the engine: %w", err)
	}
	launched := make(chan error, 1)
	go func() {
		defer cancel()
		defer close(started.ended)
		defer stdin.Close() // Wait has closed it
		// Linux sends the parent-death signal when the thread that started the child ends: it has to live as long.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		launched <- err
		if err != nil {
			return
		}
		stopKill := context.AfterFunc(killed, func() {
			process.KillGroup(command.Process.Pid)
			_ = command.Process.Kill() // it has ended already, as a rule
		})
		_ = command.Wait() // its state says how it ended
		stopKill()
		process.KillGroup(command.Process.Pid)
		started.err = fmt.Errorf("the engine ended (%s): %s", command.ProcessState, said)
		if isDamage(said.String()) {
			started.err = fmt.Errorf("%w: %w", ErrDamaged, started.err)
		}
	}()
	if err := <-launched; err != nil {
		<-started.ended
		return nil, fmt.Errorf("starting the engine %s: %w", command.Path, err)
	}
	started.pid = command.Process.Pid
	return started, nil
}

// isDamage tells whether an engine that has ended said that it cannot open its data because the files
// are damaged.
func isDamage(said string) bool {
	signs := []string{"Corruption: ", "IO error: No such file or directory", "stored on disk is out-of-date"}
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(said, sign) })
}

func (s *Supervisor) command(ctx context.Context, started *child) (*exec.Cmd, error) {
	if s.choice.Kind == Binary {
		return s.binaryCommand(ctx, started)
	}
	command := exec.CommandContext(ctx, s.choice.node, filepath.Join(s.choice.Path, serverFile),
		"--data", s.dataURL(), "--secret-file", s.recordPath())
	command.Env = childEnvironment(append(s.bounds(), nodeBounds)...)
	greeting := &greeting{heard: make(chan struct{})}
	command.Stdout = greeting
	started.address = greeting.address
	return command, nil
}

// bounds keep the engine small: by itself it caches up to half of the machine's memory,
// and writes may pile up. The write buffers, in bytes, also bound the part of its log
// that it replays when it starts, which a starting session waits for. See docs/adr/0004.
func (s *Supervisor) bounds() []string {
	size, number := 4<<20, 4 // with two, writes stood still for half a minute once
	s.mu.Lock()
	if s.wide {
		size, number = 16<<20, 32
	}
	s.mu.Unlock()
	return []string{
		"SURREAL_ROCKSDB_WRITE_BUFFER_SIZE=" + strconv.Itoa(size),
		"SURREAL_ROCKSDB_MAX_WRITE_BUFFER_NUMBER=" + strconv.Itoa(number),
		"SURREAL_ROCKSDB_MIN_WRITE_BUFFER_NUMBER_TO_MERGE=1",
		"SURREAL_ROCKSDB_BLOCK_CACHE_SIZE=16777216",
		// glibc: one heap, because memory freed between pieces in use is not given back to the
		// system, but memory freed at the end of the heap is.
		"MALLOC_ARENA_MAX=1", "MALLOC_TRIM_THRESHOLD_=131072", "MALLOC_MMAP_THRESHOLD_=131072",
	}
}

// nodeBounds keeps the heap small in which Node.js puts new objects, in MB.
const nodeBounds = "NODE_OPTIONS=--max-semi-space-size=1"

func (s *Supervisor) binaryCommand(ctx context.Context, started *child) (*exec.Cmd, error) {
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	data := s.dataURL()
	if s.options.InMemory {
		data = "memory" // the binary's own name for it
	}
	command := exec.CommandContext(ctx, s.choice.Path, "start", "--bind", address, "--log", "warn", "--no-banner", data)
	command.Env = childEnvironment(append(s.bounds(), "SURREAL_USER="+engineUser, "SURREAL_PASS="+s.secret)...)
	command.Stdout = s.options.Output
	started.address = func(ctx context.Context) (string, error) { return waitHealthy(ctx, address) }
	return command, nil
}

// ready waits until the engine answers and returns its URL.
func (c *child) ready(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	go func() {
		select {
		case <-c.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	url, err := c.address(ctx)
	if err == nil {
		return url, nil
	}
	select {
	case <-c.ended:
		return "", c.err
	default:
		return "", fmt.Errorf("waiting for the engine to come up: %w", err)
	}
}

// wait returns why the engine ended, when it did.
func (c *child) wait() error {
	<-c.ended
	return c.err
}

// end asks the engine to end, kills it if it does not, and waits until it is gone.
func (c *child) end() {
	c.cancel()
	<-c.ended
}

// greeting waits for the one line the embedded server prints when it is ready. It drops everything after it.
type greeting struct {
	mu    sync.Mutex
	line  []byte
	done  bool
	heard chan struct{}
}

func (g *greeting) Write(content []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.done {
		return len(content), nil
	}
	g.line = append(g.line, content...)
	if end := bytes.IndexByte(g.line, '\n'); end >= 0 || len(g.line) > greetingSize {
		if end >= 0 {
			g.line = g.line[:end]
		}
		g.done = true
		close(g.heard)
	}
	return len(content), nil
}

func (g *greeting) address(ctx context.Context) (string, error) {
	select {
	case <-g.heard:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	var ready struct {
		Port int `json:"port"`
	}
	if err := json.Unmarshal(g.line, &ready); err != nil || ready.Port == 0 {
		return "", fmt.Errorf("the embedded server said %q instead of its port", g.line)
	}
	return fmt.Sprintf("ws://127.0.0.1:%d", ready.Port), nil
}

// freePort returns a loopback port that was free a moment ago. Should another process take it first, the engine fails
// to start and the supervisor tries again with another one.
func freePort(ctx context.Context) (int, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("looking for a free port: %w", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		return 0, fmt.Errorf("looking for a free port: %w", err)
	}
	return port, nil
}

// waitHealthy waits until a server says that it is healthy, and returns its URL.
func waitHealthy(ctx context.Context, address string) (string, error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Second}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/health", http.NoBody)
	if err != nil {
		return "", err
	}
	ticker := time.NewTicker(healthPoll)
	defer ticker.Stop()
	for {
		if response, err := client.Do(request); err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK {
			return "ws://" + address, nil
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-ticker.C:
		}
	}
}
