//go:build unix

package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// market is a plugin without programs, as a marketplace has it, and the server that its programs come from.
type market struct {
	t        *testing.T
	root     string // of the plugin
	path     string // PATH: the core utilities and git
	bundle   []byte
	answer   atomic.Pointer[http.HandlerFunc]
	requests atomic.Int64
	address  string   // of the server
	platform platform // this machine's
	running  *os.File // held open by each program that runs
}

// tools are the programs of a system with the plugin: the core utilities, a shell and git.
var tools = strings.Fields("sh cat chmod cut date mkdir mv ln rm tail tr uname sha256sum sync wc sleep env df readlink nohup git head rmdir")

func newMarket(t *testing.T) *market {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the tools are those of Linux")
	}
	m := &market{t: t, root: filepath.Join(t.TempDir(), "market place", "plugin"), path: t.TempDir()}
	for _, tool := range tools {
		m.tool(tool)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.requests.Add(1)
		(*m.answer.Load())(w, r)
	}))
	t.Cleanup(server.Close)
	p := platforms[0]
	for _, one := range platforms {
		if one.goos == runtime.GOOS && one.goarch == runtime.GOARCH {
			p = one
		}
	}
	m.address, m.platform = server.URL, p
	m.followPrograms()
	m.fill(nil)
	m.serve(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(m.bundle) })
	m.copy("../../plugin/hooks", "hooks", "hook", "run.sh", "missing.sh", "fetch.sh", "lock.sh", "waiting.sh", "replay.sh")
	m.copy("../../plugin/bin", "bin", "memory")
	return m
}

// followPrograms lets the end of the test wait for the programs that its hooks left in the background: they write
// into folders that are removed then. Each holds the writing end of a pipe.
func (m *market) followPrograms() {
	m.t.Helper()
	reading, writing, err := os.Pipe()
	musttest.Do(m.t, err)
	m.running = writing
	m.t.Cleanup(func() {
		defer func() { _ = reading.Close() }()
		_ = writing.Close()
		err := reading.SetReadDeadline(time.Now().Add(time.Minute))
		if _, readErr := io.Copy(io.Discard, reading); err != nil || readErr != nil {
			m.t.Errorf("programs still run in the background: %v", cmp.Or(err, readErr))
		}
	})
}

// fill makes the content of the server: programs, and more content, which cannot be compressed if it is random.
func (m *market) fill(more []byte) {
	m.t.Helper()
	_, _ = rand.Read(more)
	programs := tree{
		{name: "libexec/hook", content: []byte("#!/bin/sh\n[ \"$2\" != --at ] || " + replayedBy + "\necho \"ran $1\"\n"), exec: true},
		{name: "libexec/memory", content: []byte("#!/bin/sh\necho \"memory $1\"\n"), exec: true},
		{name: "libexec/more", content: more},
	}
	programs = append(programs, file{name: completeFile, content: sums(programs)})
	var err error
	if m.bundle, err = programs.bundle(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
	m.pin(m.platform, m.address, sha256Of(m.bundle))
}

// tool puts one of this system's programs on the PATH.
func (m *market) tool(name string) {
	m.t.Helper()
	at, err := exec.LookPath(name)
	if err == nil {
		err = os.Symlink(at, filepath.Join(m.path, name))
	}
	musttest.Do(m.t, err)
}

// replace puts a script on the PATH in the place of a tool.
func (m *market) replace(name, script string) {
	m.t.Helper()
	err := os.Remove(filepath.Join(m.path, name))
	if err == nil {
		err = os.WriteFile(filepath.Join(m.path, name), []byte(script), 0o755)
	}
	musttest.Do(m.t, err)
}

func (m *market) serve(answer http.HandlerFunc) { m.answer.Store(&answer) }

func (m *market) copy(from, to string, names ...string) {
	m.t.Helper()
	for _, name := range names {
		content := musttest.Get(os.ReadFile(filepath.Join(from, name)))(m.t)
		m.write(filepath.Join(to, name), content)
	}
}

func (m *market) write(name string, content []byte) {
	m.t.Helper()
	file := filepath.Join(m.root, name)
	musttest.Do(m.t, os.MkdirAll(filepath.Dir(file), 0o755))
	musttest.Do(m.t, os.WriteFile(file, content, 0o755))
}

func (m *market) pin(p platform, address, sum string) {
	m.write("programs.txt", fmt.Appendf(nil, "version 1.2.3\naddress %s\n%s x.bundle %s %d %s\n", address, p.uname, sum, len(m.bundle), p.slug()))
}

// run starts a program of the plugin as the client does.
func (m *market) run(name string, args ...string) (said string, code int) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(m.root, name), args...)
	cmd.Env = []string{"PATH=" + m.path, "HOME=" + m.t.TempDir()}
	cmd.ExtraFiles = []*os.File{m.running}
	output, err := cmd.Output()
	if err != nil && cmd.ProcessState == nil {
		m.t.Fatal(err)
	}
	return string(output), cmd.ProcessState.ExitCode()
}

// start is a session's first hook; it returns the message to the user.
func (m *market) start() string {
	m.t.Helper()
	said, code := m.run("hooks/hook", "session-start")
	var output struct {
		SystemMessage string `json:"systemMessage"`
	}
	if err := json.Unmarshal([]byte(said), &output); err != nil || code != 0 {
		m.t.Fatalf("the hook ends with %d and says %q", code, said)
	}
	return output.SystemMessage
}

// settled waits until nothing is being fetched.
func (m *market) settled() {
	m.t.Helper()
	m.await("nothing to be fetched", func() bool { return m.requests.Load() > 0 && !m.has(".fetching") })
}

func (m *market) has(name string) bool {
	_, err := os.Lstat(filepath.Join(m.root, "programs", name))
	return err == nil
}

func (m *market) await(what string, done func() bool) {
	m.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			m.t.Fatalf("waited in vain for %s", what)
		}
	}
}

func (m *market) requireWhole() {
	m.t.Helper()
	m.await("the programs", func() bool { said, code := m.run("hooks/hook", "stop"); return said == "ran stop\n" && code == 0 })
	if said, code := m.run("bin/memory", "status"); said != "memory status\n" || code != 0 {
		m.t.Errorf("memory says %q and ends with %d", said, code)
	}
	if info, err := os.Lstat(filepath.Join(m.root, "hooks/hook")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		m.t.Errorf("the first hook left %v in its place (%v), want a link to the program", info, err)
	}
	m.await("fetch.sh to end", func() bool { return !m.has(".fetching") })
	if left, _ := filepath.Glob(filepath.Join(m.root, "programs", ".*")); len(left) > 0 {
		m.t.Errorf("left are %q", left)
	}
}

func TestTheFirstHooksFetchThePrograms(t *testing.T) {
	m := newMarket(t)
	var all sync.WaitGroup
	for range 17 {
		all.Go(func() {
			if said, code := m.run("hooks/hook", "user-prompt-submit"); code != 0 || said != "" && said != "ran user-prompt-submit\n" {
				t.Errorf("a hook ends with %d and says %q", code, said)
			}
		})
	}
	all.Wait()
	m.settled()
	m.requireWhole()
	musttest.Same(t, 1, m.requests.Load(), "how many requests there were")
}

func TestASessionSaysWhyThereAreNoPrograms(t *testing.T) {
	tests := map[string]struct {
		answer func(m *market) http.HandlerFunc
		want   string
	}{
		"not there": {func(*market) http.HandlerFunc { return http.NotFound }, "cannot be downloaded"},
		"a proxy's page": {func(*market) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }
		}, "a proxy may have answered"},
		"another program": {func(m *market) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(append([]byte("x"), m.bundle[1:]...)) }
		}, "It was not used"},
		"without an end": {func(m *market) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { // its length is not announced
				for sent := 0; r.Context().Err() == nil; sent++ {
					if sent > 1<<14 {
						m.t.Errorf("%d KB were taken of a file of %d bytes", sent, len(m.bundle))
						return
					}
					if _, err := w.Write(make([]byte, 1<<10)); err != nil {
						return
					}
				}
			}
		}, "cannot be downloaded"},
		"cut at half": {func(m *market) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", fmt.Sprint(len(m.bundle)))
				_, _ = w.Write(m.bundle[:len(m.bundle)/2])
			}
		}, "cannot be downloaded"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := newMarket(t)
			m.serve(test.answer(m))
			if said := m.start(); !strings.Contains(said, "are being downloaded") {
				t.Errorf("the first session says %q", said)
			}
			m.settled()
			if said := m.start(); !strings.Contains(said, test.want) || !strings.Contains(said, "tried again") {
				t.Errorf("the next session says %q, want something about %q", said, test.want)
			}
			m.settled()
			if left, _ := filepath.Glob(filepath.Join(m.root, "programs", "*-*")); len(left) > 0 {
				t.Errorf("half installed: %q", left)
			}
			if said, code := m.run("hooks/hook", "stop"); said != "" || code != 0 {
				t.Errorf("another hook says %q and ends with %d", said, code)
			}
			m.serve(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(m.bundle) })
			m.start()
			m.requireWhole()
		})
	}
}

// TestAFullDiskLeavesNothingHalf: the folder of the programs lies on a disk that is smaller than they are.
func TestAFullDiskLeavesNothingHalf(t *testing.T) {
	m := newMarket(t)
	m.fill(make([]byte, 1<<20))
	disk := filepath.Join(m.root, "programs")
	musttest.Do(t, os.Mkdir(disk, 0o700))
	mount := func(options string) error { return syscall.Mount("tmpfs", disk, "tmpfs", 0, options) }
	if err := mount("mode=0700,size=512k"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	failed := func() bool { return m.has("failed") && !m.has(".fetching") }
	m.start()
	m.await("the reason to be known", failed)
	if said := m.start(); !strings.Contains(said, "tried again") || !strings.Contains(said, "the disk is full: 0 MB are free") {
		t.Errorf("with a full disk the session says %q", said)
	}
	m.await("the next attempt to fail", failed)
	if left, _ := filepath.Glob(filepath.Join(disk, "*-*")); len(left) > 0 {
		t.Errorf("half installed: %q", left)
	}
	m.await("what it left to be gone", func() bool {
		left, _ := os.ReadDir(disk)
		return len(left) <= 2 // the reason, and the events that wait, if there was room for one
	})
	musttest.Do(t, os.Remove(filepath.Join(disk, "failed")))
	if err := os.WriteFile(filepath.Join(disk, "filled"), make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	if said := m.start(); !strings.Contains(said, "is the disk full?") {
		t.Errorf("without room for a byte the session says %q", said)
	}
	m.await("the attempt to fail", failed)
	musttest.Do(t, syscall.Unmount(disk, syscall.MNT_DETACH))
	m.start()
	m.requireWhole()
}

// TestAMachineOfAnotherKindIsToldSo: of one that a release has no programs for, and of one that shares a home with another.
func TestAMachineOfAnotherKindIsToldSo(t *testing.T) {
	m := newMarket(t)
	m.replace("uname", "#!/bin/sh\ncase $1 in -s) echo Linux ;; *) echo riscv64 ;; esac\n")
	m.write("programs/linux-x64/complete", nil)
	m.write("programs/linux-x64/libexec/hook", []byte("\x7fELF of another machine"))
	m.start()
	m.await("the reason to be known", func() bool { return m.has("failed") && !m.has(".fetching") })
	if said := m.start(); !strings.Contains(said, "no programs for Linux on riscv64") {
		t.Errorf("the session says %q", said)
	}
	if said, code := m.run("bin/memory", "doctor"); code != 1 {
		t.Errorf("memory doctor ends with %d and says %q", code, said)
	}
	if m.requests.Load() > 0 {
		t.Errorf("%d requests for programs that cannot be started here", m.requests.Load())
	}
}

// A lock that is dated ahead, as after the clock was set back, does not wait until then.
func TestALockDatedAheadDoesNotWait(t *testing.T) {
	m := newMarket(t)
	m.write("programs/.fetching/pid", []byte(fmt.Sprint(os.Getpid())))
	ahead := time.Now().AddDate(1, 0, 0)
	musttest.Do(t, errors.Join(os.Chmod(filepath.Join(m.root, "programs"), 0o700), os.Chtimes(filepath.Join(m.root, "programs", ".fetching"), ahead, ahead)))
	m.start()
	m.requireWhole()
}

func TestAKilledDownloadIsDoneAgain(t *testing.T) {
	m := newMarket(t)
	m.tool("setsid") // it makes the download a group of processes, which is killed as a whole
	stuck, free := make(chan struct{}), make(chan struct{})
	var once sync.Once
	m.serve(func(w http.ResponseWriter, r *http.Request) {
		once.Do(func() { close(stuck) })
		select {
		case <-free:
		case <-r.Context().Done():
		}
	})
	defer close(free)
	m.start()
	<-stuck
	var pid int
	m.await("the lock to name its process", func() bool {
		content, _ := os.ReadFile(filepath.Join(m.root, "programs/.fetching/pid"))
		n, err := fmt.Sscan(string(content), &pid)
		return n == 1 && err == nil
	})
	musttest.Do(t, syscall.Kill(-pid, syscall.SIGKILL))
	// Until a busy system has cleared it away it counts as running, and a session starts no other.
	m.await("the killed download to be gone", func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
	m.serve(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(m.bundle) })
	past := time.Now().Add(-10 * time.Second)
	musttest.Do(t, os.Chtimes(filepath.Join(m.root, "programs/.fetching"), past, past))
	// On a busy system another process may have the killed one's number: the next session tries again.
	m.await("a session to fetch the programs", func() bool {
		if said, code := m.run("hooks/hook", "stop"); said == "ran stop\n" && code == 0 {
			return true
		}
		m.run("hooks/hook", "session-start")
		return false
	})
	m.requireWhole()
}

func TestAForeignFolderIsNotWrittenTo(t *testing.T) {
	m := newMarket(t)
	elsewhere := t.TempDir()
	musttest.Do(t, os.Symlink(elsewhere, filepath.Join(m.root, "programs")))
	if said := m.start(); !strings.Contains(said, "has to be a folder of yours") {
		t.Errorf("the session says %q", said)
	}
	if files, err := os.ReadDir(elsewhere); err != nil || len(files) > 0 || m.requests.Load() > 0 {
		t.Errorf("%d files were written through the link (%v), %d requests", len(files), err, m.requests.Load())
	}
}

func TestAnUnbuiltCheckoutSaysWhatToDo(t *testing.T) {
	m := newMarket(t)
	musttest.Do(t, os.Remove(filepath.Join(m.root, "programs.txt")))
	if said := m.start(); !strings.Contains(said, "make -C '"+filepath.Dir(m.root)+"' build") {
		t.Errorf("the session says %q", said)
	}
	if said, code := m.run("hooks/hook", "stop"); said != "" || code != 0 {
		t.Errorf("another hook says %q and ends with %d", said, code)
	}
	if said, code := m.run("bin/memory", "status"); said != "" || code != 1 {
		t.Errorf("memory says %q and ends with %d", said, code)
	}
	m.write("libexec/stop", []byte("#!/bin/sh\necho built\n"))
	if said, _ := m.run("hooks/hook", "stop"); said != "built\n" {
		t.Errorf("a built checkout's hook says %q", said)
	}
}
