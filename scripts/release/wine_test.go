//go:build linux && amd64

package main

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// TestTheWindowsProgramsRun starts those of the archive for Windows under wine: the command line, the daemon's program, the MCP
// server, and a hook, which captures its input. The daemon itself cannot run there: wine 8 has no Unix sockets.
func TestTheWindowsProgramsRun(t *testing.T) {
	if !*whole {
		t.Skip("makes a release: make install-test")
	}
	w := newWine(t)
	archives, err := filepath.Glob(filepath.Join(releaseOf(t, "../..", "1.2.3", "windows/amd64"), "*_windows_amd64.zip"))
	if err != nil || len(archives) != 1 {
		t.Fatalf("archives: %q, %v", archives, err)
	}
	unzip(t, archives[0], w.root)
	programs := filepath.Join(w.root, command+"-1.2.3", "plugin", "libexec")
	if said, err := w.run("", filepath.Join(programs, "memory.exe"), "--version"); err != nil || !strings.Contains(said, "1.2.3") {
		t.Errorf("memory.exe --version: %v, %q", err, said)
	}
	daemon := filepath.Join(programs, "memoryd.exe")
	if said, err := w.run("", daemon, "--build"); err != nil || !strings.Contains(said, `{"version":"1.2.3","stamp":1700000000}`) {
		t.Errorf("memoryd.exe --build: %v, %q", err, said)
	}
	if err := os.Remove(daemon); err != nil { // no hook is to start it
		t.Fatal(err)
	}
	input := `{"hook_event_name":"PreCompact","session_id":"under-wine","cwd":"Z:\\p","trigger":"manual","custom_instructions":""}`
	if said, err := w.run(input, filepath.Join(programs, "hook.exe"), "pre-compact"); err != nil {
		t.Errorf("hook.exe pre-compact: %v, %q", err, said)
	}
	for _, one := range []struct{ stdin, program, arguments, want string }{
		{"", "memory.exe", "config set daemon.batch_size 7", "daemon.batch_size is 7"},
		{"", "memory.exe", "config list --changed", "config.json - events in one transaction"},
	} {
		said, err := w.run(one.stdin, filepath.Join(programs, one.program), strings.Fields(one.arguments)...)
		if err != nil || !strings.Contains(said, one.want) {
			t.Errorf("%s %s: %v, %q, without %q", one.program, one.arguments, err, said, one.want)
		}
	}
	if answer, err := w.ask(initialize, filepath.Join(programs, "memory.exe"), "memory-mcp"); err != nil || !strings.Contains(answer, `"serverInfo"`) {
		t.Errorf("memory.exe memory-mcp: %v, %q", err, answer)
	}
	counts, err := spool.New(filepath.Join(w.root, "home", "spool")).Counts()
	if err != nil || counts.New != 1 {
		t.Errorf("the hook has left %d events (%v)", counts.New, err)
	}
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"wine","version":"1"}}}
`

// wine starts programs of Windows.
type wine struct {
	t       *testing.T
	program string
	root    string // holds the output of wine and the programs
}

// newWine makes a Windows of the test's own; Go's runtime needs a library that older versions of wine do not have.
func newWine(t *testing.T) *wine {
	t.Helper()
	program, err := exec.LookPath("wine")
	if err != nil {
		notHere(t, "there is no wine here (Debian: apt-get install wine)")
	}
	w := &wine{t, program, t.TempDir()}
	t.Cleanup(w.end)
	if said, err := w.run("", "wineboot", "--init"); err != nil {
		t.Fatalf("make a Windows: %v: %s", err, said)
	}
	library := filepath.Join(w.root, "wine", "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(library); err == nil {
		return w
	}
	compiler, err := exec.LookPath("x86_64-w64-mingw32-gcc")
	if err != nil {
		notHere(t, "this wine is older than 8.13 and there is no compiler for the library that it lacks (Debian: apt-get install gcc-mingw-w64-x86-64-win32)")
	}
	build := exec.CommandContext(t.Context(), compiler, "-shared", "-nostdlib", "-o", library, "testdata/bcryptprimitives.c", "-ladvapi32", "-e", "DllMainCRTStartup")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return w
}

// notHere skips a test for lack of a program, but not in CI, which installs it.
func notHere(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

func (w *wine) run(stdin, program string, args ...string) (said string, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.t.Context()), 3*time.Minute)
	defer cancel()
	cmd := w.command(ctx, program, args)
	cmd.Stdin, cmd.WaitDelay = strings.NewReader(stdin), time.Second // wine's server has the output open for longer
	output, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return string(output), err
}

// ask sends a line to a server, whose input stays open until its answer is there.
func (w *wine) ask(line, program string, args ...string) (answer string, err error) {
	ctx, cancel := context.WithTimeout(w.t.Context(), 3*time.Minute)
	defer cancel()
	cmd := w.command(ctx, program, args)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	_, writeErr := io.WriteString(stdin, line)
	answer, readErr := bufio.NewReader(stdout).ReadString('\n')
	return answer, errors.Join(writeErr, readErr, stdin.Close(), cmd.Wait())
}

func (w *wine) command(ctx context.Context, program string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.program, append([]string{program}, args...)...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.root, "WINEPREFIX=" + filepath.Join(w.root, "wine"), "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=",
		"MEMORY_HOME=Z:" + strings.ReplaceAll(filepath.Join(w.root, "home"), "/", `\`),
	}
	return cmd
}

// end ends this Windows, and waits until its server has written its files.
func (w *wine) end() {
	_, _ = w.run("", "wineboot", "--kill")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.t.Context()), time.Minute)
	defer cancel()
	wait := exec.CommandContext(ctx, "wineserver", "-w")
	wait.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.root, "WINEPREFIX=" + filepath.Join(w.root, "wine")}
	if said, err := wait.CombinedOutput(); err != nil {
		w.t.Logf("wait for wine's server: %v: %s", err, said)
	}
}

// unzip unpacks an archive of a release.
func unzip(t *testing.T, archive, dir string) {
	t.Helper()
	packed := musttest.Get(zip.OpenReader(archive))(t)
	defer func() { _ = packed.Close() }()
	musttest.Do(t, os.CopyFS(dir, packed))
}
