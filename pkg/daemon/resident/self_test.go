package resident

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// newTestSelf is a daemon whose program is a file of the test's.
func newTestSelf(t *testing.T) *Self {
	t.Helper()
	base := t.TempDir()
	s := &Self{
		home: Home{Layout: paths.Layout{Home: filepath.Join(base, "home")}}, program: filepath.Join(base, "plugin", "libexec", "memoryd"),
		installed: filepath.Join(base, "client", installedFile), log: slog.New(slog.DiscardHandler),
	}
	put(t, s.home.Lock(), "", time.Now())
	put(t, s.program, "old", time.Now().Add(-time.Hour))
	s.lock, s.image = stat(t, s.home.Lock()), stat(t, s.program)
	return s
}

func put(t *testing.T, file, content string, at time.Time) {
	t.Helper()
	musttest.Do(t, os.MkdirAll(filepath.Dir(file), 0o700))
	_ = os.Remove(file)
	musttest.Do(t, os.WriteFile(file, []byte(content), 0o700))
	musttest.Do(t, os.Chtimes(file, at, at))
}

func stat(t *testing.T, file string) os.FileInfo {
	t.Helper()
	return musttest.Get(os.Stat(file))(t)
}

// program writes a memoryd that reports the given build, and nothing else.
func program(t *testing.T, b Build, at time.Time) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "libexec", "memoryd")
	put(t, file, "", at)
	answer := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = --build ] && echo '{\"version\":%q,\"stamp\":%d}'\n", b.Version, b.Stamp)
	musttest.Do(t, plugintest.WriteProgram(file, []byte(answer)))
	musttest.Do(t, os.Chtimes(file, at, at))
	return file
}

// Plugins side by side, each of whose daemons meets the hooks of all others again and again: the newest build stays,
// whatever the times of the files are.
func TestTheNewestBuildServes(t *testing.T) {
	now := time.Now()
	builds := []Build{{"v0.3.0", 10}, {"307355f", 90}, {"v0.4.0", 20}, {"v0.4.0", 30}, {"v0.3.0-4-gabcdef0", 99}}
	const newest = 3
	var programs []string
	for n, b := range builds {
		programs = append(programs, program(t, b, now.Add(-time.Duration(n)*time.Hour))) // the newest is not the last one written
	}
	running, restarts := 0, 0
	for range 5 {
		for _, asks := range programs {
			s := newTestSelf(t)
			s.program, s.image, s.home.Build = programs[running], stat(t, programs[running]), builds[running]
			if s.IsOlderThan(t.Context(), daemonapi.Caller{Program: asks}) {
				running = slices.Index(programs, s.follower())
				restarts++
			}
		}
	}
	if running != newest || restarts >= len(builds) {
		t.Errorf("after %d restarts %+v runs, want %+v", restarts, builds[running], builds[newest])
	}
}

// TestBuildsHaveOneOrder: each listed build is older than all that follow.
func TestBuildsHaveOneOrder(t *testing.T) {
	ordered := []Build{
		{"", 0},
		{"dev", 5},
		{"307355f-dirty", 7},
		{"v0.0.9", 99},
		{"0.1.0-alpha", 1},
		{"v0.1.0-rc.1", 2},
		{"v0.1.0", 3},
		{"v0.1.0-dirty", 4},
		{"v0.1.0-2-gabc1234", 5},
		{"v0.2.0", 0},
		{"v0.10.0", 0},
		{"v1.0.0+5", 0},
		{"v1.0.0", 1},
	}
	for i, a := range ordered {
		for k, b := range ordered {
			if got, want := a.compare(b), cmp.Compare(i, k); got != want {
				t.Errorf("%+v compared with %+v is %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestWhoIsNoDaemonReplacesNone(t *testing.T) {
	s := newTestSelf(t)
	base := t.TempDir()
	newer := Build{"v9.0.0", 1}
	other, unready := filepath.Join(base, "sh"), program(t, newer, time.Now())
	put(t, other, "newer", time.Now())
	silent := filepath.Join(base, "silent", "memoryd") // as one of before builds were compared
	put(t, silent, "#!/bin/sh\nexit 2\n", time.Now())
	musttest.Do(t, os.Chmod(unready, 0o600))
	for _, program := range []string{"", "memoryd", other, unready, silent, base, filepath.Join(base, "gone", "memoryd"), s.program} {
		if s.IsOlderThan(t.Context(), daemonapi.Caller{Program: program}) {
			t.Errorf("%q replaces the daemon", program)
		}
	}
	if !s.IsOlderThan(t.Context(), daemonapi.Caller{Program: program(t, newer, time.Unix(0, 0))}) {
		t.Error("a newer build with an old time does not replace the daemon")
	}
}

func TestADaemonWithoutItsPluginEnds(t *testing.T) {
	const idle = time.Minute
	list := func(names ...string) string { return `{"version":2,"plugins":{` + strings.Join(names, ",") + `}}` }
	ours, other := `"surrealdb-memory@market":[{}]`, `"other@market":[{}]`
	for name, c := range map[string]struct {
		change func(*Self)
		looks  int // until it ends
	}{
		"the folder is deleted":       {func(s *Self) { _ = os.RemoveAll(paths.PluginRoot(s.program)) }, missingLooks},
		"the client has marked it":    {func(s *Self) { put(t, filepath.Join(paths.PluginRoot(s.program), orphanMark), "1", time.Now()) }, 1},
		"the client lists it no more": {func(s *Self) { put(t, s.installed, list(other), time.Now()) }, 1},
		"the home is deleted":         {func(s *Self) { _ = os.RemoveAll(s.home.Home) }, 1},
		"the home is another": {func(s *Self) {
			_ = os.Rename(s.home.Home, s.home.Home+".old")
			put(t, s.home.Lock(), "", time.Now())
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestSelf(t)
			put(t, s.installed, list(other, ours), time.Now().Add(-time.Minute))
			for range 3 {
				if reason := s.Abandoned(idle); reason != "" {
					t.Fatalf("it ends at once: %s", reason)
				}
			}
			c.change(s)
			for look := 1; ; look++ {
				if s.Abandoned(idle) != "" {
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

// A session that still runs keeps the daemon of its uninstalled plugin, and a
// plugin that was never installed is used from its folder.
func TestADaemonInUseStays(t *testing.T) {
	s := newTestSelf(t)
	put(t, s.installed, `{"plugins":{}}`, time.Now())
	musttest.Same(t, "", s.Abandoned(time.Hour), "why it ends")
	put(t, filepath.Join(paths.PluginRoot(s.program), orphanMark), "1", time.Now())
	musttest.Same(t, "", s.Abandoned(time.Second), "why it ends")
}

func TestACallersPathIsLookedAtOnce(t *testing.T) {
	t.Setenv("PATH", "/usr/bin:/bin")
	s := newTestSelf(t)
	ask := func(path string, ready, again bool, want string) {
		t.Helper()
		if got := !ready && s.AdoptPath(path); got != again || os.Getenv("PATH") != want {
			t.Errorf("%q: again %t, PATH %s, want %t and %s", path, got, os.Getenv("PATH"), again, want)
		}
	}
	ask("/nvm/bin:/usr/bin", true, false, "/usr/bin:/bin")
	ask("/bin", false, false, "/usr/bin:/bin")
	ask("/nvm/bin:.:bin:/usr/bin", false, true, "/nvm/bin:/usr/bin:/bin")
	ask("/nvm/bin:/bin", false, false, "/nvm/bin:/usr/bin:/bin")
	ask("/"+strings.Repeat("x", mostPath), false, false, "/nvm/bin:/usr/bin:/bin")
}

// TestAHomeWithoutLocksIsNamed: each way in which a file system says that it has no locks is refused with what to do; other errors
// stay what they are.
func TestAHomeWithoutLocksIsNamed(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.ENOLCK, syscall.ENOTSUP, syscall.ENOSYS, syscall.EINVAL} {
		err := lockError("/net/home/run/memoryd.lock", &fs.PathError{Op: "flock", Path: "x", Err: errno})
		if !errors.Is(err, ErrNoLocks) || !strings.Contains(err.Error(), "MEMORY_HOME") || !strings.Contains(err.Error(), "/net/home/run") {
			t.Errorf("%v: %v", errno, err)
		}
	}
	for _, other := range []error{os.ErrPermission, syscall.EROFS, syscall.ENOSPC} {
		if err := lockError("/x", other); errors.Is(err, ErrNoLocks) || !errors.Is(err, other) {
			t.Errorf("%v: %v", other, err)
		}
	}
}

func TestTheHeapIsLimitedByWhatIsInUse(t *testing.T) {
	for inUse, want := range map[uint64]int64{0: 160 << 20, 60 << 20: 160 << 20, 300 << 20: 400 << 20} {
		musttest.Same(t, want, heapLimit(inUse), "with %d MB in use, the limit", inUse>>20)
	}
}

// The limit follows the size of the heap, unless somebody has set one.
func TestTheLimitFollowsTheHeap(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { KeepHeapSmall(ctx); close(ended) }()
		synctest.Wait()
		musttest.Same(t, smallHeap, debug.SetMemoryLimit(-1), "the limit at first")
		large := make([]byte, 200<<20)
		runtime.GC()
		time.Sleep(2 * heapPause) // of the bubble
		synctest.Wait()
		if got := debug.SetMemoryLimit(-1); got < 250<<20 {
			t.Errorf("with 200 MB in use the limit is %d MB", got>>20)
		}
		runtime.KeepAlive(large)
		cancel()
		<-ended
	})
	debug.SetMemoryLimit(1 << 30)
	KeepHeapSmall(t.Context())
	musttest.Same(t, 1<<30, debug.SetMemoryLimit(-1), "the limit")
}
