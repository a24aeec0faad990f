//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

// withMemoryd runs the program of a plugin whose memoryd prints its arguments and ends with an exit code.
func (x *user) withMemoryd(t *testing.T, exit string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	plugin := t.TempDir()
	musttest.Do(t, os.Mkdir(filepath.Join(plugin, "libexec"), 0o700))
	script := "#!/bin/sh\necho ran in $MEMORY_HOME: \"$@\"\nexit " + exit + "\n"
	musttest.Do(t, plugintest.WriteProgram(filepath.Join(plugin, "libexec", "memoryd"), []byte(script)))
	var out, err bytes.Buffer
	code = run(t.Context(), append([]string{"memory"}, args...), runOptions{Dir: x.dir, Executable: filepath.Join(plugin, "bin", "memory"), Terminal: &terminal.Terminal{
		Out: &out, Err: &err, Getenv: func(key string) string { return x.env[key] }, Now: time.Now,
	}})
	return code, out.String(), err.String()
}

func backupFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "b.jsonl.gz")
	musttest.Get(backup.Write(t.Context(), surrealtest.Empty(t), path, "1.0", time.Now(), "", func() {}))(t)
	return path
}

func TestTheDaemonWritesTheBackup(t *testing.T) {
	x := newUser(t)
	asked := "nothing"
	x.daemon(t, []daemonapi.Handler{
		daemonapi.MethodBackup.Handle(func(_ context.Context, p string) (daemonapi.BackupResult, error) {
			asked = p
			return daemonapi.BackupResult{File: "/b", Rows: 12, Bytes: 345, Deleted: []string{"/old"}}, nil
		}),
	})
	code, out, _ := x.run(t, "backup", "some.gz")
	want, err := filepath.Abs("some.gz")
	if code != exitOK || err != nil || asked != want || !strings.Contains(out, "12 rows") || !strings.Contains(out, "/old") {
		t.Errorf("exit code %d, asked for %q, printed %q", code, asked, out)
	}
	if code, out, _ = x.run(t, "backup", "--json"); code != exitOK || asked != "" || !strings.Contains(out, `"rows": 12`) {
		t.Errorf("exit code %d, asked for %q, printed %q", code, asked, out)
	}
}

func TestMemorydReplacesTheStore(t *testing.T) {
	x, file := newUser(t), backupFile(t)
	home := "ran in " + x.layout.Home + ": "
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"restore", "--yes", file}, home + "--restore " + file},
		{[]string{"backup", "rebuild", "--yes", "--force"}, home + "--rebuild --force"},
	} {
		if code, out, stderr := x.withMemoryd(t, "0", c.args...); code != exitOK || !strings.Contains(out, c.says) {
			t.Errorf("memory %s: exit code %d, %q, %q", strings.Join(c.args, " "), code, out, stderr)
		}
	}
	if code, _, stderr := x.withMemoryd(t, "1", "backup", "rebuild", "--yes"); code != exitFailed || !strings.Contains(stderr, "rebuild failed") {
		t.Errorf("a rebuild that fails: exit code %d, %q", code, stderr)
	}
}

func TestNothingIsReplacedThatWasNotConfirmed(t *testing.T) {
	x, file := newUser(t), backupFile(t)
	foreign := filepath.Join(t.TempDir(), "notes.txt")
	musttest.Do(t, os.WriteFile(foreign, []byte("text"), 0o600))
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"restore", file}, "--yes"},
		{[]string{"backup", "rebuild"}, "--yes"},
		{[]string{"restore", "--yes", foreign}, "not a backup"},
		{[]string{"backup", "rebuild", file}, "takes no arguments"},
		{[]string{"backup", "a", "b"}, "takes [FILE], but got 2 arguments;"},
	} {
		code, out, stderr := x.withMemoryd(t, "0", c.args...)
		if code != exitUsage || !strings.Contains(stderr, c.says) || strings.Contains(out, "ran in") {
			t.Errorf("memory %s: exit code %d, %q, %q", strings.Join(c.args, " "), code, out, stderr)
		}
	}
}
