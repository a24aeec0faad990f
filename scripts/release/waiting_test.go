//go:build unix

package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// replayedBy is the part of a stand-in for a hook program that notes a replayed event beside itself, unless it is broken.
const replayedBy = `{ log=${0%/*/*/*/*}; [ ! -e "$log/broken" ] || { : >"$log/failed"; exit 1; }; printf '%s|%s|%s|%s\n' "$1" "${3%.*}" "$CLAUDE_PROJECT_DIR" "$(cat)" >>"$log/replayed"; exit 0; }`

// event has a hook of a session report an event, while there may be no programs.
func (m *market) event(hook, project, input string) {
	m.t.Helper()
	cmd := exec.CommandContext(m.t.Context(), filepath.Join(m.root, "hooks/hook"), hook)
	cmd.Env = []string{"PATH=" + m.path, "HOME=" + m.t.TempDir(), "CLAUDE_PROJECT_DIR=" + project}
	cmd.Stdin = strings.NewReader(input)
	cmd.ExtraFiles = []*os.File{m.running}
	if err := cmd.Run(); err != nil {
		m.t.Errorf("%s: %v", hook, err)
	}
}

// waiting are the files of the events that wait.
func (m *market) waiting() []string {
	m.t.Helper()
	found := musttest.Get(filepath.Glob(filepath.Join(m.root, "programs", "waiting", "*-*")))(m.t)
	return found
}

// replayed are the events that programs were handed, without their times, which have to be in order.
func (m *market) replayed() []string {
	m.t.Helper()
	content, err := os.ReadFile(filepath.Join(m.root, "replayed"))
	if err != nil && !os.IsNotExist(err) {
		m.t.Fatal(err)
	}
	var all, times []string
	for line := range strings.Lines(string(content)) {
		parts := strings.SplitN(strings.TrimSpace(line), "|", 3)
		all, times = append(all, parts[0]+"|"+parts[2]), append(times, parts[1])
	}
	if !slices.IsSorted(times) {
		m.t.Errorf("the events were handed over in the order %q", times)
	}
	return all
}

// untilFree has the server answer once the returned function is called.
func (m *market) untilFree() (free func()) {
	freed := make(chan struct{})
	m.serve(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-freed:
			_, _ = w.Write(m.bundle)
		case <-r.Context().Done():
		}
	})
	return func() { close(freed) }
}

func TestWhatHappensWithoutProgramsIsHandedOver(t *testing.T) {
	m := newMarket(t)
	free := m.untilFree()
	m.event("session-start", "/a project", `{"n":1}`)
	m.event("user-prompt-submit", "/a project", "{\"n\":2}\n")
	m.event("pre-tool-use", "/a project", `{"injects":"only"}`)
	m.event("stop", "/odd\nproject", `{"n":3}`)
	off := t.TempDir()
	musttest.Do(t, errors.Join(os.Mkdir(filepath.Join(off, ".claude"), 0o700), os.WriteFile(filepath.Join(off, ".claude", "memory-off"), nil, 0o600)))
	m.event("stop", off, `{"in":"a project that is off"}`)
	for _, file := range m.waiting() {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("others can read %s: %v, %v", file, info.Mode(), err)
		}
	}
	free()
	m.await("the events to be handed over", func() bool { return !m.has("waiting") && !m.has(".fetching") })
	want := []string{`session-start|/a project|{"n":1}`, `user-prompt-submit|/a project|{"n":2}`, `stop||{"n":3}`}
	if got := m.replayed(); !slices.Equal(got, want) {
		t.Errorf("handed over were %q, want %q", got, want)
	}
	m.requireWhole()
}

// TestAnEventStaysUntilAProgramHasIt: programs that fail are handed it again with the next session.
func TestAnEventStaysUntilAProgramHasIt(t *testing.T) {
	m := newMarket(t)
	free := m.untilFree()
	m.write("broken", nil)
	m.event("session-start", "/p", `{"n":1}`)
	m.event("stop", "/p", `{"n":2}`)
	free()
	m.await("the programs to fail", func() bool {
		_, err := os.Stat(filepath.Join(m.root, "failed"))
		return err == nil && !m.has(".fetching") && !m.has("waiting/.replaying")
	})
	if left := m.waiting(); len(left) != 2 {
		t.Fatalf("%d events are left by programs that fail: %q", len(left), left)
	}
	musttest.Do(t, os.Remove(filepath.Join(m.root, "broken")))
	m.write("programs/waiting/.replaying/pid", []byte("1999999999")) // of one that was killed
	longAgo := exec.CommandContext(t.Context(), "touch", "-d", "1 minute ago", filepath.Join(m.root, "programs/waiting/.replaying"))
	if output, err := longAgo.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	if said, code := m.run("bin/memory", "status"); said != "memory status\n" || code != 0 {
		t.Errorf("memory says %q and ends with %d", said, code)
	}
	m.await("the events to be handed over", func() bool { return !m.has("waiting") })
	if got, want := m.replayed(), []string{`session-start|/p|{"n":1}`, `stop|/p|{"n":2}`}; !slices.Equal(got, want) {
		t.Errorf("handed over were %q, want %q", got, want)
	}
}

// TestWaitingEventsAreBounded: as when the address can't be reached for weeks.
func TestWaitingEventsAreBounded(t *testing.T) {
	m := newMarket(t)
	m.serve(http.NotFound)
	for n := range 999 {
		m.write(fmt.Sprintf("programs/waiting/1700000000.%04d-1-stop", n), []byte("/p\n{}"))
	}
	musttest.Do(t, os.Chmod(filepath.Join(m.root, "programs"), 0o700))
	large := strings.Repeat("x", 3_000_000)
	m.event("stop", "/p", large)
	m.event("stop", "/p", "one too many")
	left := m.waiting()
	newest, err := os.ReadFile(left[len(left)-1])
	if len(left) != 1000 || err != nil || len(newest) != len("/p\n")+1_000_000 {
		t.Errorf("%d events are kept, the newest with %d bytes (%v)", len(left), len(newest), err)
	}
	m.await("fetch.sh to end", func() bool { return !m.has(".fetching") })
}

// TestTheVersionBeforeServesMeanwhile: after an update whose programs are still on their way.
func TestTheVersionBeforeServesMeanwhile(t *testing.T) {
	m := newMarket(t)
	cache := filepath.Join(t.TempDir(), "plugins", "cache", "market", "memory")
	musttest.Do(t, os.MkdirAll(cache, 0o700))
	old := filepath.Join(cache, "1.0.0", "programs", m.platform.slug())
	musttest.Do(t, os.Rename(m.root, filepath.Join(cache, "1.1.0")))
	m.root = filepath.Join(cache, "1.0.0", "..", "1.1.0")
	for file, content := range map[string]string{"complete": "", "libexec/hook": "#!/bin/sh\necho \"old $1\"\n", "libexec/memory": "#!/bin/sh\necho \"old memory $1\"\n"} {
		musttest.Do(t, os.MkdirAll(filepath.Dir(filepath.Join(old, file)), 0o700))
		musttest.Do(t, os.WriteFile(filepath.Join(old, file), []byte(content), 0o700))
	}
	free := m.untilFree()
	for _, hook := range []string{"session-start", "stop"} {
		if said, code := m.run("hooks/hook", hook); said != "old "+hook+"\n" || code != 0 {
			t.Errorf("%s prints %q and exits with %d", hook, said, code)
		}
	}
	if said, code := m.run("bin/memory", "status"); said != "old memory status\n" || code != 0 {
		t.Errorf("memory prints %q and exits with %d", said, code)
	}
	if left := m.waiting(); len(left) > 0 {
		t.Errorf("%q wait, although programs had them", left)
	}
	free()
	m.requireWhole()
}
