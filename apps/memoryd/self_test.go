package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// newTestSelf is an agent whose program is a file of the test's.
func newTestSelf(t *testing.T) *self {
	t.Helper()
	base := t.TempDir()
	s := &self{
		layout: paths.Layout{Home: filepath.Join(base, "home")}, program: filepath.Join(base, "plugin", "libexec", "memoryd"),
		installed: filepath.Join(base, "client", installedFile), log: slog.New(slog.DiscardHandler),
	}
	put(t, s.layout.Lock(), "", time.Now())
	put(t, s.program, "old", time.Now().Add(-time.Hour))
	s.lock, s.image = stat(t, s.layout.Lock()), stat(t, s.program)
	return s
}

func put(t *testing.T, file, content string, at time.Time) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(file)
	if err := os.WriteFile(file, []byte(content), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

func stat(t *testing.T, file string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// Three plugins side by side, each of whose agents meets the hooks of all others
// again and again: one replaces another at most twice, and the newest stays.
func TestTheProgramWrittenLastServes(t *testing.T) {
	base := t.TempDir()
	var programs []string
	for n, name := range []string{"b", "c", "a"} {
		file := filepath.Join(base, name, "libexec", "memoryd")
		put(t, file, name, time.Now().Add(time.Duration(n)*time.Minute-time.Hour))
		programs = append(programs, file)
	}
	running, restarts := programs[1], 0
	for range 5 {
		for _, asks := range programs {
			s := newTestSelf(t)
			s.program, s.image = running, stat(t, running)
			if s.meet(agentapi.Caller{Program: asks}, true).Leave {
				running = s.follower()
				restarts++
			}
		}
	}
	if running != programs[2] || restarts != 1 {
		t.Errorf("after %d restarts %s runs, want the newest after one", restarts, running)
	}
}

func TestWhoIsNoAgentReplacesNone(t *testing.T) {
	s := newTestSelf(t)
	base := t.TempDir()
	other, unready := filepath.Join(base, "sh"), filepath.Join(base, "memoryd")
	put(t, other, "newer", time.Now())
	put(t, unready, "newer", time.Now())
	if err := os.Chmod(unready, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"", "memoryd", other, unready, base, filepath.Join(base, "gone", "memoryd"), s.program} {
		if s.meet(agentapi.Caller{Program: program}, true).Leave {
			t.Errorf("%q replaces the agent", program)
		}
	}
}

func TestARebuiltProgramTakesOverWhenItIsWhole(t *testing.T) {
	s := newTestSelf(t)
	looks := func(want bool) {
		t.Helper()
		if got := s.superseded(); got != want {
			t.Errorf("superseded: %t, want %t", got, want)
		}
	}
	looks(false)
	put(t, s.program, "half", time.Now().Add(-time.Minute))
	looks(false)
	put(t, s.program, "whole", time.Now())
	looks(false)
	looks(true)
	if s.follower() != s.program {
		t.Errorf("%q follows", s.follower())
	}
}

func TestAnAgentWithoutItsPluginEnds(t *testing.T) {
	const idle = time.Minute
	list := func(names ...string) string { return `{"version":2,"plugins":{` + strings.Join(names, ",") + `}}` }
	ours, other := `"surrealdb-memory@market":[{}]`, `"other@market":[{}]`
	for name, c := range map[string]struct {
		change func(*self)
		looks  int // until it ends
	}{
		"the folder is deleted": {func(s *self) { _ = os.RemoveAll(paths.PluginRoot(s.program)) }, missingLooks},
		"the client has marked it": {func(s *self) {
			put(t, filepath.Join(paths.PluginRoot(s.program), orphanMark), "1", time.Now())
		}, 1},
		"the client lists it no more": {func(s *self) { put(t, s.installed, list(other), time.Now()) }, 1},
		"the home is deleted":         {func(s *self) { _ = os.RemoveAll(s.layout.Home) }, 1},
		"the home is another": {func(s *self) {
			_ = os.Rename(s.layout.Home, s.layout.Home+".old")
			put(t, s.layout.Lock(), "", time.Now())
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestSelf(t)
			put(t, s.installed, list(other, ours), time.Now().Add(-time.Minute))
			for range 3 {
				if reason := s.abandoned(idle); reason != "" {
					t.Fatalf("it ends at once: %s", reason)
				}
			}
			c.change(s)
			for look := 1; ; look++ {
				if s.abandoned(idle) != "" {
					if look != c.looks {
						t.Errorf("it ends at look %d, want %d", look, c.looks)
					}
					return
				}
				if look > c.looks {
					t.Fatal("it does not end")
				}
			}
		})
	}
}

// A session that still runs keeps the agent of its uninstalled plugin, and a
// plugin that was never installed is used from its folder.
func TestAnAgentInUseStays(t *testing.T) {
	s := newTestSelf(t)
	put(t, s.installed, `{"plugins":{}}`, time.Now())
	if reason := s.abandoned(time.Hour); reason != "" {
		t.Errorf("it ends: %s", reason)
	}
	put(t, filepath.Join(paths.PluginRoot(s.program), orphanMark), "1", time.Now())
	if reason := s.abandoned(time.Second); reason != "" {
		t.Errorf("it ends: %s", reason)
	}
}

func TestACallersPathIsLookedAtOnce(t *testing.T) {
	t.Setenv("PATH", "/usr/bin:/bin")
	s := newTestSelf(t)
	ask := func(path string, ready, again bool, want string) {
		t.Helper()
		if got := s.meet(agentapi.Caller{Path: path}, ready).Again; got != again || os.Getenv("PATH") != want {
			t.Errorf("%q: again %t, PATH %s, want %t and %s", path, got, os.Getenv("PATH"), again, want)
		}
	}
	ask("/nvm/bin:/usr/bin", true, false, "/usr/bin:/bin")
	ask("/bin", false, false, "/usr/bin:/bin")
	ask("/nvm/bin:.:bin:/usr/bin", false, true, "/nvm/bin:/usr/bin:/bin")
	ask("/nvm/bin:/bin", false, false, "/nvm/bin:/usr/bin:/bin")
	ask("/"+strings.Repeat("x", mostPath), false, false, "/nvm/bin:/usr/bin:/bin")
}
