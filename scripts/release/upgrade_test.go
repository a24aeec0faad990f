//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

const (
	waitingEvents = 900 // that an upgrade finds; a list has 1,000 rows at most
	upgradeLimit  = 3 * time.Minute
	sessionStart  = `{"hook_event_name":"SessionStart","session_id":"upgrade","source":"startup","cwd":"/p"}`
)

// household is the memory of a user who unpacks one release after the other.
type household struct {
	t      *testing.T
	layout paths.Layout
	folder string // HOME
}

// TestAReleaseTakesOverFromTheOneBefore: with a live daemon and events that wait nothing is lost, and an older release
// refuses the store of a newer one before it has changed anything.
func TestAReleaseTakesOverFromTheOneBefore(t *testing.T) {
	if !*whole {
		t.Skip("makes two releases: make install-test")
	}
	older := withEngine(t, unpacked(t, releaseOf(t, "../..", "0.1.0", thisPlatform), "0.1.0"))
	newer := withEngine(t, unpacked(t, releaseOf(t, withMigration(t), "0.2.0", thisPlatform), "0.2.0"))
	h := &household{t: t, layout: paths.Layout{Home: filepath.Join(t.TempDir(), "memory")}, folder: t.TempDir()}
	t.Cleanup(func() { _, _ = h.run(newer, "bin/memory", "", "daemon", "stop") })

	h.requireDone(older, "daemon", "start")
	links := t.TempDir()
	h.requireDone(older, "setup", "link", links)
	first := h.requireServing(older)
	h.pause(first, func() { h.spool(0, waitingEvents) })
	waiting := h.waiting()
	if said, err := h.run(newer, "libexec/hook", sessionStart, "session-start"); err != nil || waiting < waitingEvents/2 {
		t.Fatalf("with %d events that wait the new release's first hook ends with %v: %s", waiting, err, said)
	}
	h.await("the new release to serve", func() bool { return h.program() == filepath.Join(newer, "libexec", "memoryd") })
	h.await("the events to be stored", func() bool { return h.waiting() == 0 })
	musttest.Same(t, waitingEvents, h.kept(newer), "how many facts are kept after the upgrade")
	t.Logf("%d events waited; the new release serves", waiting)

	h.requireDone(older, "status") // which asks the newer daemon, and replaces it by nothing
	h.requireServing(newer)
	h.requireDone(newer, "daemon", "stop")
	h.requireRefused(older)
	h.spool(waitingEvents, 1) // events captured meanwhile
	h.requireDone(older, "daemon", "stop")

	h.requireDone(newer, "daemon", "start")
	h.await("what was captured meanwhile to be stored", func() bool { return h.waiting() == 0 })
	musttest.Same(t, waitingEvents+1, h.kept(newer), "how many facts are kept after the downgrade that was refused")

	if err := os.RemoveAll(older); err != nil { // as the client does after an update
		t.Fatal(err)
	}
	const want = "0.2.0"
	for program, flag := range map[string]string{filepath.Join(links, "memory"): "--version", filepath.Join(h.layout.Bin(), "memoryd"): "--build"} {
		cmd := exec.CommandContext(t.Context(), program, flag)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + h.folder}
		if said, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(said), want) {
			t.Errorf("after the update %s %s says %s (%v)", program, flag, said, err)
		}
	}
}

// requireRefused wants an older release to report at a start, in the status and in doctor that the store is a
// newer one's.
func (h *household) requireRefused(root string) {
	h.t.Helper()
	_, _ = h.run(root, "libexec/hook", sessionStart, "session-start")
	const refusal = "a newer plugin wrote the database"
	var said string
	h.await("the older release to refuse the store", func() bool {
		said, _ = h.run(root, "bin/memory", "", "status")
		return strings.Contains(said, refusal)
	})
	started, err := h.run(root, "libexec/hook", sessionStart, "session-start")
	if err != nil || !strings.Contains(started, refusal) || !strings.Contains(started, "claude plugin update") {
		h.t.Errorf("a session of the older release is told %s (%v)", started, err)
	}
	if said, err := h.run(root, "bin/memory", "", "doctor"); err == nil || !strings.Contains(said, "applied by 0.2.0") || !strings.Contains(said, "claude plugin update") {
		h.t.Errorf("doctor of the older release says %s (%v)", said, err)
	}
}

// withMigration is a copy of the source whose schema has one more migration, as a later version has.
func withMigration(t *testing.T) string {
	t.Helper()
	source := filepath.Join(t.TempDir(), "source")
	runIn(t, "../..", "git", "clone", "--quiet", "--no-hardlinks", ".", source)
	known, err := filepath.Glob(filepath.Join(source, "migrations", "*.surql"))
	if err == nil {
		file := filepath.Join(source, "migrations", fmt.Sprintf("%04d_later.surql", len(known)+1))
		err = os.WriteFile(file, []byte("DEFINE TABLE later SCHEMAFULL;\n"), 0o600)
	}
	musttest.Do(t, err)
	runIn(t, source, "go", "test", "./migrations", "-update")
	return source
}

func runIn(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, output)
	}
}

// withEngine has a release use the engine that is installed for the checkout, and returns its plugin.
func withEngine(t *testing.T, root string) string {
	t.Helper()
	plugin := filepath.Join(root, "plugin")
	for _, name := range []string{"package.json", "package-lock.json", "server.mjs"} {
		content, err := os.ReadFile(filepath.Join("../../plugin/engine", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(plugin, "engine", name), content, 0o600)
		}
		musttest.Do(t, err)
	}
	return plugin
}

// run starts a program of a release.
func (h *household) run(root, program, stdin string, args ...string) (said string, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(h.t.Context()), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(root, program), args...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.folder, "MEMORY_HOME=" + h.layout.Home, enginetest.Setting(),
	}
	cmd.Dir, cmd.Stdin = h.folder, strings.NewReader(stdin)
	output, err := cmd.CombinedOutput()
	return string(output), err
}

// requireDone wants a command of a release to do its work.
func (h *household) requireDone(root string, args ...string) {
	h.t.Helper()
	if said, err := h.run(root, "bin/memory", "", args...); err != nil {
		h.t.Fatalf("memory %q: %v: %s", args, err, said)
	}
}

// requireServing wants the daemon of a release to serve, and returns its process.
func (h *household) requireServing(root string) int {
	h.t.Helper()
	if got, want := h.program(), filepath.Join(root, "libexec", "memoryd"); got != want {
		h.t.Fatalf("%q serves, want %s", got, want)
	}
	return daemonclient.PID(h.layout)
}

// program is that of the daemon, or "".
func (h *household) program() string {
	program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", daemonclient.PID(h.layout)))
	return program
}

// pause stops a process while something is done.
func (h *household) pause(pid int, do func()) {
	h.t.Helper()
	musttest.Do(h.t, syscall.Kill(pid, syscall.SIGSTOP))
	do()
	musttest.Do(h.t, syscall.Kill(pid, syscall.SIGCONT))
}

// spool leaves prompts that ask for something to be kept, as a hook does.
func (h *household) spool(from, count int) {
	h.t.Helper()
	for n := from; n < from+count; n++ {
		at := time.Date(2026, 11, 20, 12, 0, 0, n, time.UTC)
		err := spool.New(h.layout.Spool()).Put(memory.Event{
			ID: memory.NewEventID(at), At: at, Kind: memory.EventPrompt, Session: "s",
			Project: memory.Project{Key: "p", Name: "p", Root: "/p"}, Prompt: fmt.Sprintf("remember: fact %d", n),
		})
		musttest.Do(h.t, err)
	}
}

func (h *household) waiting() int {
	h.t.Helper()
	counts, err := spool.New(h.layout.Spool()).Counts()
	if err != nil || counts.Dead > 0 {
		h.t.Fatalf("the spool has %+v: %v", counts, err)
	}
	return counts.New + counts.Claimed
}

// kept counts the facts that are remembered.
func (h *household) kept(root string) int {
	h.t.Helper()
	h.requireDone(root, "daemon", "start")
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute)
	defer cancel()
	client := musttest.Get(daemonclient.Dial(ctx, h.layout.Socket()))(h.t)
	defer func() { _ = client.Close() }()
	var all []daemonapi.Listed
	musttest.Do(h.t, client.Call(ctx, daemonapi.MethodMemories.Call(memory.Filter{Project: "p", Limit: 1000}, &all)))
	return len(all)
}

func (h *household) await(what string, so func() bool) {
	h.t.Helper()
	deadline := time.After(upgradeLimit)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-deadline:
			log, _ := os.ReadFile(h.layout.DaemonLog())
			h.t.Fatalf("waited in vain for %s; the daemon's log:\n%s", what, log)
		}
	}
}
