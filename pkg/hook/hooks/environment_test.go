package hooks_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Without the ready marker the daemon is starting: the hook then waits up to its own deadline and logs this.
func TestAStartingDaemonMayTakeTheWholeDeadline(t *testing.T) {
	w := newWorld(t)
	a := startDaemon(t, w, injected)
	musttest.Do(t, os.Remove(w.layout().ReadyMarker()))
	runInProcess(t, w, toJSON(t, fields{"session_id": session, "hook_event_name": hookio.SessionStart}))
	event := w.spooled(t)[0]
	asked := only(t, a.requests(t), daemonapi.MethodSessionContext.Name)
	if wait := asked["wait_ms"].(float64); wait <= float64(warmDeadline.Milliseconds()) || wait > float64(coldDeadline.Milliseconds()) {
		t.Errorf("the daemon may take %v ms", wait)
	}
	musttest.Same(t, event["id"], asked["before"], "the event before which the daemon is to ingest")
}

// script puts a program of the plugin's into the world.
func script(t *testing.T, w *world, name, body string) {
	t.Helper()
	file := filepath.Join(w.plugin, "libexec", name)
	musttest.Do(t, plugintest.WriteProgram(file, []byte("#!/bin/sh\n"+body)))
}

// The daemon outlives the session that started it, so it must not hold the client's keys, nor be reached by the client's signals.
func TestTheDaemonIsStartedDetachedAndWithoutTheClientsSecrets(t *testing.T) {
	w := newWorld(t)
	script(t, w, "memoryd", "{ env; echo SID=$(cut -d' ' -f6 /proc/$$/stat) PID=$$; pwd; } > "+w.base+"/started.part 2>&1\nmv "+w.base+"/started.part "+w.base+"/started\n")
	t.Setenv("ANTHROPIC_API_KEY", "sk-of-the-user")
	t.Setenv("SURREAL_PASS", "of_the_user")
	out := runInProcess(t, w, toJSON(t, fields{"session_id": session, "hook_event_name": hookio.SessionEnd}))
	if len(out.Log) > 0 {
		t.Errorf("logged: %q", out.Log)
	}
	awaitFile(t, filepath.Join(w.base, "started"))
	started := lines(readFile(t, filepath.Join(w.base, "started")))
	if !slices.Contains(started, "SURREAL_PASS=of_the_user") || slices.Contains(started, "ANTHROPIC_API_KEY=sk-of-the-user") {
		t.Errorf("environment: %q", started)
	}
	if !slices.Contains(started, w.env["MEMORY_HOME"]) {
		t.Errorf("does not work in its home: %q", started)
	}
	if runtime.GOOS != "linux" { // the script reads /proc
		return
	}
	detached := slices.ContainsFunc(started, func(line string) bool {
		var sid, pid int
		n, _ := fmt.Sscanf(line, "SID=%d PID=%d", &sid, &pid)
		return n == 2 && sid == pid
	})
	if !detached {
		t.Errorf("leads no session of its own: %q", started)
	}
}

// awaitFile waits until a file exists.
func awaitFile(t *testing.T, file string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(file); err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s does not appear", file)
		}
	}
}

// Programs started by Setup must not get the client's keys.
func TestSetupRunsItsProgramsWithoutTheClientsSecrets(t *testing.T) {
	w := newWorld(t)
	record := "echo \"$0 $*\" >> " + w.base + "/ran\nenv >> " + w.base + "/environment\necho says $1\n"
	script(t, w, "memoryd", record)
	script(t, w, "memory", record)
	t.Setenv("ANTHROPIC_API_KEY", "sk-of-the-user")
	t.Setenv("CLAUDE_CODE_MESSAGING_TOKEN", "token-of-the-client")
	t.Setenv("SURREAL_PASS", "of_the_user")
	out := runInProcess(t, w, toJSON(t, fields{"session_id": session, "hook_event_name": hookio.Setup, "trigger": "init"}))

	want := effect{Stdout: `{"systemMessage":"surrealdb-memory is ready: the daemon runs"}` + "\n", Stderr: []string{
		"surrealdb-memory: finding or installing the database engine", "says --install-engine",
		"surrealdb-memory: starting the daemon", "says daemon",
		"surrealdb-memory is ready: the daemon runs",
	}}
	musttest.Same(t, want, out, "(-want +got)")
	ran := w.neutral(readFile(t, filepath.Join(w.base, "ran")))
	musttest.Same(t, "$PLUGIN/libexec/memoryd --install-engine\n$PLUGIN/libexec/memory daemon start\n", ran, "the programs that ran")
	environment := lines(readFile(t, filepath.Join(w.base, "environment")))
	if !slices.Contains(environment, "SURREAL_PASS=of_the_user") {
		t.Errorf("the settings are missing in %q", environment)
	}
	for _, pair := range environment {
		if strings.Contains(pair, "of-the-user") || strings.Contains(pair, "of-the-client") {
			t.Errorf("handed on: %s", pair)
		}
	}
	script(t, w, "memory", "echo it has ended >&2; exit 4")
	out = runInProcess(t, w, toJSON(t, fields{"session_id": session, "hook_event_name": hookio.Setup, "trigger": "init"}))
	if !strings.Contains(out.Stdout, "starting the daemon failed: memory: exit status 4; events are kept") || slices.Contains(out.Stderr, "surrealdb-memory is ready: the daemon runs") {
		t.Errorf("without a daemon it says %+v", out)
	}
}
