//go:build unix

package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
)

// pluginWithNpm is a separate plugin whose programs find a script as npm, and a Node.js that only prints its version.
type pluginWithNpm struct{ dir, home, path string }

func newPluginWithNpm(t *testing.T) pluginWithNpm {
	t.Helper()
	p := pluginWithNpm{t.TempDir(), filepath.Join(t.TempDir(), "home"), t.TempDir()}
	musttest.Do(t, plugintest.Build(filepath.Join(p.dir, "bin"), "../../apps/memory"))
	musttest.Do(t, plugintest.Build(filepath.Join(p.dir, "libexec"), "../../apps/memoryd"))
	musttest.Do(t, os.Mkdir(filepath.Join(p.dir, "engine"), 0o700))
	for _, name := range []string{"package.json", "package-lock.json", "server.mjs"} {
		content := musttest.Get(os.ReadFile(filepath.Join("..", "..", "plugin", "engine", name)))(t)
		musttest.Do(t, os.WriteFile(filepath.Join(p.dir, "engine", name), content, 0o600))
	}
	p.program(t, "node", "echo v22.0.0")
	return p
}

// program puts a script where the plugin's programs look first.
func (p pluginWithNpm) program(t *testing.T, name, script string) {
	t.Helper()
	musttest.Do(t, plugintest.WriteProgram(filepath.Join(p.path, name), []byte("#!/bin/sh\n"+script+"\n")))
}

func (p pluginWithNpm) run(t *testing.T, args ...string) (code int, output string) {
	t.Helper()
	cmd := p.command(t, filepath.Join("bin", "memory"), args...)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), text.String()
}

func (p pluginWithNpm) command(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(p.dir, program), args...)
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + p.path + ":/usr/bin:/bin", "MEMORY_HOME=" + p.home}
	return cmd
}

// TestTheEngineIsInstalledByTheCommand: npm fails first, and then installs from a local folder. The command can be repeated.
func TestTheEngineIsInstalledByTheCommand(t *testing.T) {
	p := newPluginWithNpm(t)
	p.program(t, "npm", "echo registry unreachable >&2; exit 1")
	code, output := p.run(t, "setup", "engine", "install")
	if code != exitFailed || !strings.Contains(output, "registry unreachable") {
		t.Errorf("with an npm that fails: exit code %d and\n%s", code, output)
	}
	p.program(t, "npm", "mkdir -p node_modules/@surrealdb/node && echo {} > node_modules/@surrealdb/node/package.json")
	code, output = p.run(t, "setup", "engine", "install")
	if code != exitOK || !strings.Contains(output, "installing the database engine (to download once: 10 MB") || !strings.Contains(output, "the engine is ready: embedded") {
		t.Errorf("with an npm that works: exit code %d and\n%s", code, output)
	}
	musttest.Get(os.Stat(filepath.Join(p.home, "engine", "node_modules", "@surrealdb", "node")))(t)
	p.program(t, "npm", "echo npm was run once more >&2; exit 1")
	if code, output = p.run(t, "setup", "engine", "install"); code != exitOK || strings.Contains(output, "once more") {
		t.Errorf("with an engine that is there: exit code %d and\n%s", code, output)
	}
}

// TestARunningInstallationIsReported: npm reaches no registry and is slow. A status does not wait for it, and shows the
// attempt, its start time, and the remedy.
func TestARunningInstallationIsReported(t *testing.T) {
	p := newPluginWithNpm(t)
	begun, again := filepath.Join(t.TempDir(), "begun"), filepath.Join(t.TempDir(), "again")
	musttest.Do(t, errors.Join(syscall.Mkfifo(begun, 0o600), syscall.Mkfifo(again, 0o600)))
	attempts := musttest.Get(os.OpenFile(begun, os.O_RDWR, 0))(t)
	defer func() { _ = attempts.Close() }()
	musttest.Do(t, attempts.SetReadDeadline(time.Now().Add(time.Minute)))
	p.program(t, "npm", "echo >> "+begun+"; read -r line < "+again+"; echo npm error code ECONNREFUSED >&2; exit 1")
	daemon := p.command(t, filepath.Join("libexec", "memoryd"))
	musttest.Do(t, daemon.Start())
	t.Cleanup(func() {
		musttest.Do(t, daemon.Process.Signal(os.Interrupt))
		_ = daemon.Wait()
	})
	status := func(want string) string {
		t.Helper()
		musttest.Get(attempts.Read(make([]byte, 1)))(t)
		code, output := p.run(t, "status")
		if code != exitOK || !regexp.MustCompile(want).MatchString(output) {
			t.Errorf("memory status: exit code %d and\n%s", code, output)
		}
		return output
	}
	first := status(`installed \(to download once: 10 MB, .*\), since \d\d:\d\d:\d\d`)
	if !strings.Contains(first, "wait a minute or two; if it takes longer, check that the npm registry can be reached") {
		t.Errorf("memory status does not say what to do:\n%s", first)
	}
	_, told := p.run(t, "doctor")
	if !strings.Contains(told, "is being installed") || strings.Contains(told, "kill") || strings.Contains(told, "does not answer") || strings.Contains(told, "does not serve") {
		t.Errorf("memory doctor says\n%s", told)
	}
	musttest.Do(t, os.WriteFile(again, []byte("\n"), 0o600))
	status(`(?s)attempt 2; the previous one failed: .*ECONNREFUSED.*check that this machine can reach the npm registry \(is a proxy set\?\), then run memory setup engine install`)
}
