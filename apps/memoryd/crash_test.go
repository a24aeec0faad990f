//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

// installed is where the programs of all tests lie.
var installed string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	if socket := os.Getenv(squatterVariable); socket != "" {
		squat(socket)
		return 0
	}
	var err error
	if installed, err = os.MkdirTemp("", "memoryd-programs-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(installed) }()
	// Most of the time goes into waiting for a daemon to see that something hangs: not a processor each.
	if err := flag.Set("test.parallel", "4"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return enginetest.Wrap(m).Run()
}

// programs are those under test.
type programs struct {
	memoryd string
	hook    string // session-start, in another plugin: it must not start a daemon of its own
}

// built builds the programs that the tests share.
var built = sync.OnceValues(func() (programs, error) {
	engineDir, err := enginetest.EngineDir()
	if err != nil {
		return programs{}, err
	}
	with, without := filepath.Join(installed, "plugin"), filepath.Join(installed, "other")
	p := programs{memoryd: filepath.Join(with, "libexec", "memoryd"), hook: filepath.Join(without, "libexec", "session-start")}
	return p, errors.Join(plugintest.Build(filepath.Dir(p.memoryd), "."), plugintest.Build(filepath.Dir(p.hook), "../hooks/session-start"), os.Symlink(engineDir, filepath.Join(with, "engine")))
})

// TestDaemonEndsWhenItsHomeIsGone is about daemons of homes that were deleted: nobody would ever stop them.
func TestDaemonEndsWhenItsHomeIsGone(t *testing.T) {
	t.Parallel()
	enginetest.Endpoint(t)
	h := newHome(t)
	a := h.start(t)
	h.await(t, "the daemon to be ready", func() bool {
		status, err := h.status(t)
		return err == nil && status.State == "ready"
	})
	enginePID := h.enginePID(t)
	musttest.Do(t, os.RemoveAll(h.layout.Home))
	musttest.Is(t, nil, a.cmd.Wait(), "the daemon")
	h.await(t, "the engine to end", func() bool { return isGoneProcess(enginePID) })
}

// home is a temporary MEMORY_HOME with the programs under test.
type home struct {
	programs
	layout  paths.Layout
	env     []string // besides the environment every program gets
	daemons []int    // the processes that were started as daemons
}

type runningDaemon struct {
	cmd  *exec.Cmd
	home *home
}

func newHome(t *testing.T) *home {
	t.Helper()
	programs := musttest.Get(built())(t)
	h := &home{programs: programs, layout: paths.Layout{Home: filepath.Join(t.TempDir(), "home")}}
	t.Cleanup(func() { h.endProcesses(t) })
	return h
}

// serve has the home use a database of its own on the engine of the tests, so that it starts none. It returns a function that changes the
// database from outside, and its name.
func (h *home) serve(t *testing.T) (change func(sql string), database string) {
	t.Helper()
	endpoint := enginetest.Endpoint(t)
	namespace, database := enginetest.Database(t)
	h.env = append(h.env, "SURREAL_URL="+endpoint.URL, "SURREAL_USER="+endpoint.User, "SURREAL_PASS="+endpoint.Pass, "SURREAL_NS="+namespace, "SURREAL_DB="+database)
	return func(sql string) { runSQL(t, endpoint, namespace, database, sql) }, database
}

// endProcesses ends the programs that still run for this home, as a daemon does that a hook started while another one
// ended: it would write into a folder that is being deleted.
func (h *home) endProcesses(t *testing.T) {
	t.Helper()
	environments, _ := filepath.Glob("/proc/[0-9]*/environ") // none but on Linux
	for _, name := range environments {
		environment, err := os.ReadFile(name)
		if err != nil || !slices.Contains(strings.Split(string(environment), "\x00"), "MEMORY_HOME="+h.layout.Home) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			h.await(t, "a program of the home to end", func() bool { return isGoneProcess(pid) })
		}
	}
}

// spool puts one prompt into the spool that asks for something to be kept.
func (h *home) spool(t *testing.T, n int) {
	t.Helper()
	h.spoolText(t, n, fmt.Sprintf("remember: fact %d", n))
}

// spoolText puts a prompt into the spool.
func (h *home) spoolText(t *testing.T, n int, prompt string) {
	t.Helper()
	at := time.Date(2026, 11, 20, 12, 0, 0, n, time.UTC)
	musttest.Do(t, spool.New(h.layout.Spool()).Put(memory.Event{
		ID: memory.NewEventID(at), At: at, Kind: memory.EventPrompt, Session: "s",
		Project: memory.Project{Key: "p", Name: "p", Root: "/p"}, Prompt: prompt,
	}))
}

// environment is the environment of every program of this home.
func (h *home) environment(t *testing.T) []string {
	t.Helper()
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TMPDIR=" + h.tmp(t), "MEMORY_HOME=" + h.layout.Home, "MEMORY_DAEMON_BATCH_SIZE=3", enginetest.Setting(), enginetest.NoRegistry}
}

// tmp is one temporary directory for all: the fallback spool lies there.
func (h *home) tmp(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(filepath.Dir(h.layout.Home), "tmp")
	musttest.Do(t, os.MkdirAll(dir, 0o700))
	return dir
}

// project is the directory in which the programs of a plugin run.
func (h *home) project(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(filepath.Dir(h.layout.Home), "project")
	musttest.Do(t, os.MkdirAll(dir, 0o700))
	return dir
}

func (h *home) start(t *testing.T, env ...string) *runningDaemon {
	t.Helper()
	cmd := exec.Command(h.memoryd)
	cmd.Env = append(append(h.environment(t), h.env...), env...)
	cmd.Stderr = os.Stderr
	musttest.Do(t, cmd.Start())
	h.daemons = append(h.daemons, cmd.Process.Pid)
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return &runningDaemon{cmd, h}
}

func (a *runningDaemon) stop(t *testing.T) {
	t.Helper()
	musttest.Do(t, a.cmd.Process.Signal(syscall.SIGTERM))
	musttest.Is(t, nil, a.cmd.Wait(), "the daemon")
}

func (h *home) status(t *testing.T) (daemonapi.StatusResult, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 5*time.Second)
	defer cancel()
	var status daemonapi.StatusResult
	client, err := daemonclient.Dial(ctx, h.layout.Socket())
	if err != nil {
		return status, err
	}
	defer func() { _ = client.Close() }()
	return status, client.Call(ctx, daemonapi.MethodStatus.Call(daemonapi.None{}, &status))
}

// waiting counts the events that are not in the store yet.
func (h *home) waiting(t *testing.T) int {
	t.Helper()
	counts := musttest.Get(spool.New(h.layout.Spool()).Counts())(t)
	if counts.Dead > 0 {
		t.Fatalf("%d dead letters", counts.Dead)
	}
	return counts.New + counts.Claimed
}

func (h *home) enginePID(t *testing.T) int {
	t.Helper()
	var record struct{ PID int }
	h.await(t, "engine.json", func() bool {
		data, err := os.ReadFile(filepath.Join(h.layout.Run(), "engine.json"))
		return err == nil && json.Unmarshal(data, &record) == nil && record.PID > 0
	})
	return record.PID
}

// await polls until something is so; the deadline only ends a test that failed.
func (h *home) await(t *testing.T, what string, so func() bool) {
	t.Helper()
	h.poll(t, 50*time.Millisecond, what, so) // asking for a status costs the store queries
}

// awaitClosely is await for a condition that holds soon.
func (h *home) awaitClosely(t *testing.T, condition string, so func() bool) {
	t.Helper()
	h.poll(t, 2*time.Millisecond, condition, so)
}

func (h *home) poll(t *testing.T, interval time.Duration, condition string, so func() bool) {
	t.Helper()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute) // a cleanup awaits, too
	defer cancel()
	for !so() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			log, _ := os.ReadFile(h.layout.DaemonLog())
			if pid := daemonclient.PID(h.layout); pid != 0 {
				_ = syscall.Kill(pid, syscall.SIGQUIT) // it writes to standard error where it stands, before the cleanup kills it
				for range 50 {
					if <-ticker.C; isGoneProcess(pid) {
						break
					}
				}
			}
			t.Fatalf("waited in vain for %s; %sthe daemon's log:\n%s", condition, h.lastDaemon(), log)
		}
	}
}

// lastDaemon describes the fate of the daemon that was started last.
func (h *home) lastDaemon() string {
	if len(h.daemons) == 0 {
		return ""
	}
	pid := h.daemons[len(h.daemons)-1]
	if isGoneProcess(pid) {
		return fmt.Sprintf("the daemon %d has ended; ", pid)
	}
	return fmt.Sprintf("the daemon %d runs; ", pid)
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
}

// isGoneProcess counts a zombie as gone: it waits for a parent that is not ours.
func isGoneProcess(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) { // gone before the reading, or during it
		return true
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(after, "Z")
}
